// weft/support/crash_line.hpp - one line for a crash of a library on a damaged file, where the work cannot be done in a
// process of its own (support/own_process.hpp): on ranks.
#pragma once

#include <string>
#include <vector>

namespace weft {

class CrashLine {
 public:
  // While it lives a crash of this process (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) prints `line`, removes `files`
  // where they are, and ends the process with `exit_code`, at which a launcher ends all others. One at a time. Not
  // collective.
  CrashLine(std::string line, std::vector<std::string> files, int exit_code);
  ~CrashLine();
  CrashLine(const CrashLine&) = delete;
  CrashLine& operator=(const CrashLine&) = delete;
};

}  // namespace weft
