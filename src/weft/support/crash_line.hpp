// weft/support/crash_line.hpp - one line for a library that crashes on a damaged file or never comes back from it,
// where the work cannot be done in a process of its own (support/own_process.hpp): on ranks.
#pragma once

#include <string>
#include <vector>

namespace weft {

class CrashLine {
 public:
  // While it lives a crash of this process (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) prints `line`, removes the files
  // that it was told of, and ends the process with `exit_code`, at which a launcher ends all others. One at a time. Not
  // collective.
  CrashLine(const std::string& line, const std::string& loop_line, int exit_code);
  ~CrashLine();
  CrashLine(const CrashLine&) = delete;
  CrashLine& operator=(const CrashLine&) = delete;

  // What a crash from now on has to remove, where it is there: files that are this process's own to remove.
  void removes(std::vector<std::string> files);

  // From now on the process may compute for so long, in seconds of processor time of all its threads, until this is
  // said again. More is taken for a loop without end, and ends it in the same way with `loop_line`. 0: no limit.
  void allow(double seconds);
};

}  // namespace weft
