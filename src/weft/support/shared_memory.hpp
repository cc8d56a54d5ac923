// weft/support/shared_memory.hpp - a few bytes that ranks of one machine share, besides their messages.
//
// A thread that may make no MPI call can tell the others on its machine something this way. The memory has no name: it
// is gone with the last who holds it, whatever ends them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "weft/support/communicator.hpp"

namespace weft {

class SharedMemory {
 public:
  static constexpr std::uint64_t kNoGroup = ~0ULL;

  // `group`: a number for each rank, the same for those that share; kNoGroup: of none. Zeros at first. Null on all
  // ranks where some group cannot share: its ranks are not on one machine, or do not see each other's processes
  // (containers). A rank of no group has no bytes. Collective.
  static std::unique_ptr<SharedMemory> between(Communicator& comm, std::span<const std::uint64_t> group,
                                               std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  SharedMemory() = default;
  bool map_own(std::size_t bytes);  // of a group of one
  // The memory behind a descriptor, with `sign` behind the bytes; false where it is another's.
  bool map(int descriptor, std::size_t bytes, std::uint64_t sign);

  std::span<std::byte> bytes_;
  std::size_t mapped_ = 0;
};

}  // namespace weft
