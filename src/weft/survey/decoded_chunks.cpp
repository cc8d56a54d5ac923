#include "weft/survey/decoded_chunks.hpp"

namespace weft::survey {

DecodedChunks::Chunk DecodedChunks::find(const void* array, std::uint64_t number) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_name_.find({array, number});
  if (found == by_name_.end()) return nullptr;
  by_use_.splice(by_use_.begin(), by_use_, found->second);
  return found->second->chunk;
}

void DecodedChunks::keep(const void* array, std::uint64_t number, std::span<const std::byte> chunk) {
  if (chunk.size() > most_bytes_) return;
  auto copy = std::make_shared<const std::vector<std::byte>>(chunk.begin(), chunk.end());
  const std::scoped_lock lock(mutex_);
  const Name name{array, number};
  if (by_name_.contains(name)) return;
  while (bytes_ + chunk.size() > most_bytes_) {
    bytes_ -= by_use_.back().chunk->size();
    by_name_.erase(by_use_.back().name);
    by_use_.pop_back();
  }
  by_use_.push_front({name, std::move(copy)});
  by_name_[name] = by_use_.begin();
  bytes_ += chunk.size();
}

std::uint64_t DecodedChunks::bytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

}  // namespace weft::survey
