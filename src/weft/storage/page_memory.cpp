#include "weft/storage/page_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "weft/support/shape.hpp"

namespace weft::storage {

std::uint64_t page_bytes() {
  const long page = ::sysconf(_SC_PAGESIZE);
  return page > 0 ? static_cast<std::uint64_t>(page) : 4096;
}

PageBlock::PageBlock(std::uint64_t bytes)
    : bytes_(ceil_div(bytes, page_bytes()) * page_bytes()),
      memory_(static_cast<std::byte*>(std::aligned_alloc(page_bytes(), bytes_))) {
  if (memory_ == nullptr) throw std::bad_alloc();
}

std::uint64_t PageBlock::append(std::span<const std::byte> bytes) {
  const std::uint64_t at = used_;
  if (bytes.data() != memory_.get() + at) std::memcpy(memory_.get() + at, bytes.data(), bytes.size());
  used_ += bytes.size();
  return at;
}

void PageBlock::fill_page() {
  const std::uint64_t end = ceil_div(used_, page_bytes()) * page_bytes();
  std::memset(memory_.get() + used_, 0, end - used_);
  used_ = end;
}

PageBlock SpareBlocks::take(std::uint64_t least, std::uint64_t usual) {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find_if(spare_, [&](const PageBlock& block) { return block.room() >= least; });
    if (found != spare_.end()) {
      std::swap(*found, spare_.back());
      PageBlock block = std::move(spare_.back());
      spare_.pop_back();
      return block;
    }
  }
  return PageBlock(std::max(least, usual));
}

void SpareBlocks::give(std::vector<PageBlock> blocks) {
  const std::scoped_lock lock(mutex_);
  for (PageBlock& block : blocks) {
    block.clear();
    spare_.push_back(std::move(block));
  }
}

}  // namespace weft::storage
