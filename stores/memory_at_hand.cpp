#include "stores/memory_at_hand.hpp"

#include <unistd.h>

#include <algorithm>

#include "weft/exchange/window.hpp"

namespace weft::stores {

void have_memory_at_hand(std::uint64_t bytes, int ranks) {
  // A page cache gives way where memory is short, and this does not: never more than a quarter of what is free.
  const auto pages = static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_AVPHYS_PAGES)));
  const std::uint64_t spare = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 4;
  exchange::PageMemory(std::min(bytes, spare / static_cast<std::uint64_t>(ranks))).populate();
}

}  // namespace weft::stores
