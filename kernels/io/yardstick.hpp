// kernels/io/yardstick.hpp - what the disk itself can do, for comparing a run with: raw positioned writes of as many
// bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "weft/support/communicator.hpp"

namespace weft::kernels {

// Every rank writes its even share of `bytes` into one fresh file at `path` in writes of 8 MiB from one filled buffer,
// with an fdatasync when `sync` says so; the file is removed afterwards. Returns the seconds of the slowest rank,
// opening and closing included. Collective.
double raw_write_seconds(Communicator& comm, const std::string& path, std::uint64_t bytes, bool sync);

// The raw writes before a run or after it, by lot, so that neither always meets the fuller cache. Every call is
// collective.
class Yardstick {
 public:
  // `wanted`: else nothing is measured. `comes_after` where it must: before it is not known how much will be written.
  Yardstick(Communicator& comm, std::string path, bool wanted, bool comes_after = false);
  void before(std::uint64_t bytes, bool sync);
  void after(std::uint64_t bytes, bool sync);
  bool was_first() const { return is_first_; }
  const std::optional<double>& seconds() const { return seconds_; }

 private:
  Communicator& comm_;
  std::string path_;
  bool wanted_;
  bool is_first_;
  std::optional<double> seconds_;
};

// Brings what is still in the page cache of `path`'s file system to the disk, so that a measurement does not pay for
// the one before it. Collective: all ranks go on together.
void settle(Communicator& comm, const std::string& path);

}  // namespace weft::kernels
