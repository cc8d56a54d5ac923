// weft/storage/page_split.hpp - the requests of a window, cut so that nearly all of it can be written as whole pages.
//
// A chunk is written window after window, and windows meet in the middle of pages. So the last page of a request that
// its chunk goes on behind is written whole, zeros following, and its bytes are kept; the next window's request begins
// with them, and writes that page once more. What is committed in it stays as it is, byte for byte. Only pages that a
// chunk shares with its neighbours, which may be another rank's, are left to writes of less than a page.
//
// Pure: nothing is written.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "weft/storage/write_plan.hpp"

namespace weft::storage {

// `whole` covers whole pages only, `edges` the rest, in order. The pieces of `whole` may lie in this object.
struct PageSplit {
  std::vector<WriteRequest> whole;
  std::vector<WriteRequest> edges;
};

class PageSplitter {
 public:
  explicit PageSplitter(std::uint64_t page_bytes) : page_bytes_(page_bytes), zeros_(page_bytes) {}

  // Of a window, which has to be written before the next one is split. Requests of less than `least_bytes` of whole
  // pages are edges altogether. The result stands until the next call. Holds a page for each request that its chunk
  // goes on behind.
  //
  // Example: pages of 4,096, a request of 10,000 bytes at 4,000 in a chunk that ends at 20,000: edge [4000, 4096),
  // whole [4096, 16384), of which the last 2,384 bytes are zeros; then one of 3,000 bytes at 14,000: whole [12288,
  // 20480) would reach behind the chunk, so whole [12288, 16384), edge [16384, 17000).
  const PageSplit& split(std::span<const WriteRequest> requests, std::uint64_t least_bytes);

 private:
  void split_one(const WriteRequest& request, std::uint64_t least_bytes);

  std::uint64_t page_bytes_;
  std::vector<std::byte> zeros_;
  std::unordered_map<std::uint64_t, std::vector<std::byte>> kept_;  // of begun pages, by where they begin
  std::vector<std::vector<std::byte>> heads_;                       // that the present split refers to
  PageSplit split_;
};

}  // namespace weft::storage
