// weft/support/own_process.hpp - work on a file that may be damaged, done in a process of its own.
//
// HDF5 crashes on some damaged files and never comes back from others. Nobody who only asked what a file holds should
// see that: the work runs in a child process, and its crash or endless loop becomes the usual line. The child says
// where it is as it goes along, so the line can too, and so that whoever waits sees it get on. Not collective; to be
// called before this process starts threads, MPI or HDF5, which do not survive a fork.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace weft {

// What the child tells while it works.
class OwnProcess {
 public:
  // What is being done now and what is counted: "measuring", "read", 12; a total of 0 where it is not known. Both texts
  // live as long as the program.
  void phase(const char* what, const char* unit, std::uint64_t total);
  // Where the work is: the next of those counted. A child that computes for long without saying so is taken to hang.
  void at(std::string_view place);
  // The same place, but it gets on; and how far, where that is counted by more than one.
  void alive();
  void done(std::uint64_t count);
  // A line on the command's standard error, where the child has none of its own.
  void say(const std::string& line);
  // Whether the parent wants the work to end (OwnProcessLimits::stop).
  bool stopped() const;

  struct Shared;
  explicit OwnProcess(Shared* shared) : shared_(shared) {}

 private:
  Shared* shared_;
};

// How long a child may compute, in seconds of processor time, without saying where it is.
inline constexpr double kComputeWithoutAWord = 10;

struct OwnProcessLimits {
  double compute_without_a_word = kComputeWithoutAWord;
  std::function<bool()> stop{};  // asked now and then by the parent; the child sees it as stopped()
  // Whether the child gets no more memory than the machine has, instead of making others end: damaged lengths ask for
  // any amount. For work that maps no more than it uses.
  bool machine_memory_only = false;
};

// What `work` returned, or threw as Error, in a child process. A crash, a loop without end and every other exception
// become Error(data) about `file`. Progress goes to standard error where `shown`; the child itself writes nothing.
std::string in_own_process(const std::string& file, bool shown, const std::function<std::string(OwnProcess&)>& work,
                           const OwnProcessLimits& limits = {});

}  // namespace weft
