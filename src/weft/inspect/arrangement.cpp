#include "weft/inspect/arrangement.hpp"

#include <algorithm>

namespace weft::inspect {

namespace {

double decode_seconds(const survey::DatasetFacts& facts, const layout::ChunkGrid& grid) {
  return facts.filters.empty() ? 0.0
                               : static_cast<double>(grid.chunk_bytes()) / storage::decode_bandwidth(facts.filters);
}

// Of all bytes of the chunks that are stored, those in the file.
double stored_share(const survey::DatasetFacts& facts) {
  const double raw =
      static_cast<double>(facts.stored_chunks) * static_cast<double>(element_count(facts.chunk) * facts.element_bytes);
  return raw > 0 ? static_cast<double>(facts.stored_bytes) / raw : 0.0;
}

}  // namespace

std::optional<layout::Coding> coding_of(const survey::DatasetFacts& facts,
                                        const std::vector<storage::Filter>& filters) {
  if (filters.empty()) return std::nullopt;
  const bool same = filters == facts.filters && facts.stored_chunks > 0;
  return layout::Coding{same ? stored_share(facts) : 1.0, storage::decode_bandwidth(filters)};
}

std::optional<Arrangement> arrangement_of(const survey::DatasetFacts& facts, const survey::KnownAxes& known) {
  if (facts.empty || facts.scalar) return std::nullopt;
  switch (facts.storage) {
    case survey::StorageKind::compact:
    case survey::StorageKind::view: return std::nullopt;
    case survey::StorageKind::contiguous:
    case survey::StorageKind::external:
      return Arrangement{layout::ChunkGrid::contiguous(known.shape, facts.element_bytes), false};
    case survey::StorageKind::chunked: break;
  }
  const std::optional<Shape> seen = survey::chunk_as_seen(known, facts.chunk);
  const double mean = facts.stored_chunks == 0
                          ? 0.0
                          : static_cast<double>(facts.stored_bytes) / static_cast<double>(facts.stored_chunks);
  Arrangement stored{seen ? layout::ChunkGrid::stored(known.shape, *seen, facts.element_bytes)
                          : layout::ChunkGrid::stored(facts.shape, facts.chunk, facts.element_bytes)};
  stored.filtered = !facts.filters.empty();
  stored.mean_chunk_bytes = mean;
  stored.decode_seconds = decode_seconds(facts, stored.grid);
  stored.as_seen = seen.has_value();
  return stored;
}

Arrangement rearranged(const survey::DatasetFacts& facts, const survey::KnownAxes& known, const Shape& chunk) {
  Arrangement stored{layout::ChunkGrid::stored(known.shape, chunk, facts.element_bytes)};
  stored.filtered = !facts.filters.empty();
  stored.decode_seconds = decode_seconds(facts, stored.grid);
  if (stored.filtered) stored.mean_chunk_bytes = static_cast<double>(stored.grid.chunk_bytes()) * stored_share(facts);
  return stored;
}

std::vector<Box> boxes_in(const Arrangement& stored, const survey::KnownAxes& known, const Box& seen) {
  if (stored.as_seen) return {seen};
  // Only folded datasets are ever seen otherwise than they are stored.
  const std::uint64_t nodes = known.shape[1];
  Box box{Shape(seen.start.begin() + 1, seen.start.end()), Shape(seen.count.begin() + 1, seen.count.end())};
  if (seen.count[1] == nodes) {
    box.start[0] = seen.start[0] * nodes;
    box.count[0] = seen.count[0] * nodes;
    return {box};
  }
  std::vector<Box> boxes;
  for (std::uint64_t step = 0; step < seen.count[0]; ++step) {
    box.start[0] = (seen.start[0] + step) * nodes + seen.start[1];
    boxes.push_back(box);
  }
  return boxes;
}

}  // namespace weft::inspect
