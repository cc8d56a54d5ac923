// weft/storage/page_memory.hpp - memory in blocks of whole pages: what lies in it can go to the disk from where it is
// (storage/direct_writer.hpp), and blocks that are given back are taken again, as fresh memory costs as much as copying
// into it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace weft::storage {

// The system's page, which is a multiple of every disk's block: 4,096 bytes on most machines, 65,536 on some.
std::uint64_t page_bytes();

// Filled from its start.
class PageBlock {
 public:
  // Throws std::bad_alloc.
  explicit PageBlock(std::uint64_t bytes);

  std::uint64_t room() const { return bytes_ - used_; }
  std::uint64_t used() const { return used_; }
  // What is not used yet.
  std::span<std::byte> rest() { return {memory_.get() + used_, room()}; }
  // Where it lies in the block. There must be room. Nothing is copied of what begins where rest() does.
  std::uint64_t append(std::span<const std::byte> bytes);
  // Zeros up to a multiple of the page.
  void fill_page();
  std::span<const std::byte> bytes() const { return {memory_.get(), used_}; }
  void clear() { used_ = 0; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };

  std::uint64_t bytes_;
  std::uint64_t used_ = 0;
  std::unique_ptr<std::byte, Free> memory_;
};

// Blocks that nobody uses. For any number of threads.
class SpareBlocks {
 public:
  // An empty one with room for `least` bytes; a new one, where there is none, has room for `usual` or more.
  PageBlock take(std::uint64_t least, std::uint64_t usual);
  void give(std::vector<PageBlock> blocks);

 private:
  std::mutex mutex_;
  std::vector<PageBlock> spare_;
};

}  // namespace weft::storage
