#include "weft/support/shared_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace weft {

namespace {

// Where the first of a group has the memory: others on its machine find it there.
struct Place {
  std::uint64_t process = 0;
  std::uint64_t descriptor = 0;
  std::uint64_t sign = 0;  // is in the memory, so that no other memory is taken for it
};

std::uint64_t drawn_sign() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
}

}  // namespace

std::unique_ptr<SharedMemory> SharedMemory::between(Communicator& comm, std::span<const std::uint64_t> group,
                                                    std::size_t bytes) {
  std::unique_ptr<SharedMemory> memory(new SharedMemory);
  const std::uint64_t mine = group[static_cast<std::size_t>(comm.rank())];
  const auto first = static_cast<std::size_t>(std::ranges::find(group, mine) - group.begin());
  const bool alone = mine != kNoGroup && std::ranges::count(group, mine) == 1;
  const bool leads = mine != kNoGroup && !alone && first == static_cast<std::size_t>(comm.rank());
  std::vector<std::vector<std::byte>> outgoing(static_cast<std::size_t>(comm.size()));
  int descriptor = -1;
  bool shared = !alone || memory->map_own(bytes);
  if (leads) {
    descriptor = ::memfd_create("weft", MFD_CLOEXEC);
    const Place place{static_cast<std::uint64_t>(::getpid()), static_cast<std::uint64_t>(descriptor), drawn_sign()};
    shared = descriptor >= 0 && ::ftruncate(descriptor, static_cast<off_t>(bytes + sizeof place.sign)) == 0 &&
             ::pwrite(descriptor, &place.sign, sizeof place.sign, static_cast<off_t>(bytes)) == sizeof place.sign &&
             memory->map(descriptor, bytes, place.sign);
    const auto words = std::as_bytes(std::span(&place, 1));
    for (std::size_t rank = first + 1; rank < group.size(); ++rank) {
      if (group[rank] == mine) outgoing[rank].assign(words.begin(), words.end());
    }
  }
  const auto incoming = comm.all_to_all(outgoing);
  if (mine != kNoGroup && !alone && !leads) {
    Place place;
    std::memcpy(&place, incoming[first].data(), std::min(sizeof place, incoming[first].size()));
    const int other =
        ::open(fmt::format("/proc/{}/fd/{}", place.process, place.descriptor).c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
    shared = other >= 0 && memory->map(other, bytes, place.sign);
    if (other >= 0) ::close(other);
  }
  const bool all = comm.min(shared ? 1 : 0) == 1;  // and the first may close its own only now
  if (descriptor >= 0) ::close(descriptor);
  return all ? std::move(memory) : nullptr;
}

bool SharedMemory::map_own(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  mapped_ = bytes;
  bytes_ = {static_cast<std::byte*>(memory), bytes};
  return true;
}

bool SharedMemory::map(int descriptor, std::size_t bytes, std::uint64_t sign) {
  struct stat status {};
  const std::size_t all = bytes + sizeof sign;
  if (::fstat(descriptor, &status) != 0 || static_cast<std::size_t>(status.st_size) != all) return false;
  void* memory = ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return false;
  mapped_ = all;
  bytes_ = {static_cast<std::byte*>(memory), bytes};
  return std::memcmp(bytes_.data() + bytes, &sign, sizeof sign) == 0;
}

SharedMemory::~SharedMemory() {
  if (mapped_ > 0) ::munmap(bytes_.data(), mapped_);
}

}  // namespace weft
