// stores/timed_file.hpp - requests to one open file, each timed: straight to the system, as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stores/store_profile.hpp"

namespace weft::stores {

class TimedFile {
 public:
  // Opens it for reading and writing, and makes it where it is not there. Throws Error(system).
  explicit TimedFile(std::string path);
  ~TimedFile();
  TimedFile(const TimedFile&) = delete;
  TimedFile& operator=(const TimedFile&) = delete;

  // One request, in seconds; all of its bytes are moved. Throws Error(system).
  double write(std::uint64_t offset, std::span<const std::byte> bytes);
  double read(std::uint64_t offset, std::span<std::byte> bytes);
  double sync();
  const std::string& path() const { return path_; }

  // Asks for room; that a file system has no such call is no error.
  void reserve(std::uint64_t offset, std::uint64_t bytes);
  void set_size(std::uint64_t bytes);
  // Asks the system to forget what it has of the file in its page cache, and not to read ahead.
  void drop_cache() const;

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  int descriptor_;
};

// Of the requests of some cell, on one rank.
struct Timings {
  std::vector<double> seconds;  // of each
  double elapsed = 0;

  double quantile(double part) const;  // 0 without requests
};

// Asks for `offsets` one after the other, by so many threads, until they are done or the time is over; each thread does
// three at least. Throws Error(system).
Timings time_requests(TimedFile& file, Access access, std::uint64_t bytes, std::span<const std::uint64_t> offsets,
                      int threads, double most_seconds);

// The same for writes past the page cache, several of which are under way (storage/direct_writer.hpp); they have no
// times of their own. Nothing where the file system refuses them, as a series then writes through the cache.
Timings time_direct_writes(const std::string& path, std::uint64_t bytes, std::span<const std::uint64_t> offsets,
                           double most_seconds);

}  // namespace weft::stores
