// kernels/yardstick.hpp - what the disk itself can do, for comparing a run with: raw positioned writes of as many
// bytes.
#pragma once

#include <cstdint>
#include <string>

#include "weft/support/communicator.hpp"

namespace weft::kernels {

// Every rank writes its even share of `bytes` into one fresh file at `path` in writes of 8 MiB from one filled buffer,
// with an fdatasync when `sync` says so; the file is removed afterwards. Returns the seconds of the slowest rank,
// opening and closing included. Collective.
double raw_write_seconds(Communicator& comm, const std::string& path, std::uint64_t bytes, bool sync);

// Brings what is still in the page cache of `path`'s file system to the disk, so that a measurement does not pay for
// the one before it. Collective: all ranks go on together.
void settle(Communicator& comm, const std::string& path);

}  // namespace weft::kernels
