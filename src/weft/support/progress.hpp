// weft/support/progress.hpp - a line on standard error for whoever waits more than two seconds.
#pragma once

#include <cstdint>
#include <string>

#include "weft/support/stopwatch.hpp"

namespace weft {

// On a terminal the line is rewritten in place; elsewhere (under mpirun, in a log) a line is added every five seconds.
class Progress {
 public:
  // "writing: step 5 of 151, ...": what is done, what is counted. Without a unit bytes are counted, and their rate
  // told: "repacking: 120.0 MiB of 921.6 MiB, 13 %, 640.0 MiB/s, ...". A total of 0 is not known: "looking: dataset 5".
  Progress(std::string what, std::string unit, std::uint64_t total, bool shown);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `more` goes behind it: ", compressed to 57 %".
  void update(std::uint64_t done, const std::string& more = "");

 private:
  std::string what_;
  std::string unit_;
  std::uint64_t total_;
  bool shown_;
  bool terminal_;
  bool written_ = false;
  double next_ = 2.0;  // seconds after the start
  Stopwatch clock_;
};

}  // namespace weft
