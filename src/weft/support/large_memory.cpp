#include "weft/support/large_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace weft {

void prefer_large_pages(void* memory, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t kWorthwhile = 4UL << 20;  // two large pages on most machines
  if (bytes < kWorthwhile) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const auto begin = (address + page - 1) / page * page;
  const auto end = (address + bytes) / page * page;
  // A refusal (no large pages in this kernel) leaves everything as it was.
  static_cast<void>(::madvise(static_cast<std::byte*>(memory) + (begin - address), end - begin, MADV_HUGEPAGE));
#else
  static_cast<void>(memory);
  static_cast<void>(bytes);
#endif
}

}  // namespace weft
