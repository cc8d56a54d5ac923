#include "weft/storage/page_split.hpp"

#include <algorithm>

#include "weft/support/shape.hpp"

namespace weft::storage {

namespace {

// The bytes [from, to) of a request, counted from its start.
WriteRequest part_of(const WriteRequest& request, std::uint64_t from, std::uint64_t to) {
  WriteRequest part{request.offset + from, to - from, {}, 0};
  std::uint64_t at = 0;
  for (const Bytes& piece : request.pieces) {
    const std::uint64_t begin = std::max(from, at);
    const std::uint64_t end = std::min(to, at + piece.size());
    if (begin < end) part.pieces.push_back(piece.subspan(begin - at, end - begin));
    at += piece.size();
  }
  return part;
}

}  // namespace

const PageSplit& PageSplitter::split(std::span<const WriteRequest> requests, std::uint64_t least_bytes) {
  split_ = {};
  heads_.clear();
  for (const WriteRequest& request : requests) split_one(request, least_bytes);
  return split_;
}

void PageSplitter::split_one(const WriteRequest& request, std::uint64_t least_bytes) {
  const std::uint64_t head_page = request.offset / page_bytes_ * page_bytes_;
  const std::uint64_t request_end = request.offset + request.bytes;
  const std::uint64_t tail_page = request_end / page_bytes_ * page_bytes_;

  std::vector<std::byte> head;
  if (const auto kept = kept_.find(head_page); kept != kept_.end()) {
    // Another length, and it is not what is in the file now: something was written as an edge since.
    if (kept->second.size() == request.offset - head_page) head = std::move(kept->second);
    kept_.erase(kept);
  }
  const std::uint64_t begin = head.empty() ? ceil_div(request.offset, page_bytes_) * page_bytes_ : head_page;
  if (tail_page < begin + std::max(page_bytes_, least_bytes)) {
    split_.edges.push_back(request);
    return;
  }
  const std::uint64_t from = std::max(begin, request.offset) - request.offset;
  const bool goes_on = tail_page < request_end && tail_page + page_bytes_ <= request.chunk_end;
  const std::uint64_t to = (goes_on ? request_end : tail_page) - request.offset;
  if (from > 0) split_.edges.push_back(part_of(request, 0, from));
  if (to < request.bytes) split_.edges.push_back(part_of(request, to, request.bytes));
  WriteRequest whole = part_of(request, from, to);
  if (!head.empty()) {
    whole.offset = head_page;
    whole.bytes += head.size();
    whole.pieces.insert(whole.pieces.begin(), Bytes(heads_.emplace_back(std::move(head))));
  }
  if (goes_on) {
    std::vector<std::byte>& kept = kept_[tail_page];
    for (const Bytes& piece : part_of(request, tail_page - request.offset, request.bytes).pieces) {
      kept.insert(kept.end(), piece.begin(), piece.end());
    }
    whole.pieces.push_back(Bytes(zeros_).first(tail_page + page_bytes_ - request_end));
    whole.bytes += whole.pieces.back().size();
  }
  split_.whole.push_back(std::move(whole));
}

}  // namespace weft::storage
