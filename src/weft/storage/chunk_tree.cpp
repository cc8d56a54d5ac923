#include "weft/storage/chunk_tree.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "weft/storage/little_endian.hpp"

namespace weft::storage {

namespace {

constexpr std::uint64_t kNowhere = ~0ULL;
constexpr std::size_t kChildren = 64;  // of a full node: twice HDF5's "K" of chunks
constexpr std::size_t kHead = 24;      // signature, type, level, entries, left and right sibling
constexpr std::byte kChunkNode{1};
constexpr std::size_t kNodePage = 4096;
constexpr std::size_t kPiece = 1ULL << 20;  // of nodes that are made or read together

constexpr std::size_t kLevelAt = 5;
constexpr std::size_t kEntriesAt = 6;
constexpr std::size_t kLeftAt = 8;
constexpr std::size_t kRightAt = 16;

}  // namespace

ChunkTree::ChunkTree(const Shape& shape, Shape chunk, std::uint64_t element_bytes, bool paged)
    : chunk_(std::move(chunk)), element_bytes_(element_bytes), paged_(paged) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    grid_.push_back(ceil_div(shape[axis], chunk_[axis]));
    chunks_ *= grid_.back();
  }
  for (std::uint64_t nodes = ceil_div(chunks_, kChildren);; nodes = ceil_div(nodes, kChildren)) {
    level_nodes_.push_back(nodes);
    if (nodes <= 1) break;
  }
}

std::size_t ChunkTree::node_bytes() const {
  const std::size_t bytes = kHead + kChildren * (key_bytes() + 8) + key_bytes();
  return paged_ ? ceil_div(bytes, kNodePage) * kNodePage : bytes;
}

std::uint64_t ChunkTree::bytes() const {
  std::uint64_t nodes = 0;
  for (const std::uint64_t on_level : level_nodes_) nodes += on_level;
  return nodes * node_bytes();
}

std::uint64_t ChunkTree::root(std::uint64_t at) const { return at + bytes() - node_bytes(); }

// The key of a chunk; `behind`: one that is greater, for the end of the last node.
void ChunkTree::put_key(std::byte* key, std::uint64_t chunk, bool behind, const IndexedChunk& stored) const {
  const MutableBytes bytes(key, key_bytes());
  put_little_endian(bytes, 0, 4, stored.bytes);
  put_little_endian(bytes, 4, 4, stored.skipped);
  for (std::size_t axis = grid_.size(); axis-- > 0;) {
    put_little_endian(bytes, 8 + 8 * axis, 8, (chunk % grid_[axis] + (behind ? 1 : 0)) * chunk_[axis]);
    chunk /= grid_[axis];
  }
  put_little_endian(bytes, 8 + 8 * grid_.size(), 8, behind ? element_bytes_ : 0);
}

void ChunkTree::make_nodes(std::uint64_t at, std::uint64_t shown,
                           const std::function<IndexedChunk(std::uint64_t)>& chunk_of,
                           const std::function<void(std::uint64_t place, Bytes nodes)>& take) const {
  const auto nodes = std::accumulate(level_nodes_.begin(), level_nodes_.end(), std::uint64_t{0});
  const std::uint64_t together = std::clamp<std::uint64_t>(kPiece / node_bytes(), 1, std::max<std::uint64_t>(1, nodes));
  std::vector<std::byte> piece(together * node_bytes());
  std::size_t filled = 0;
  std::uint64_t piece_at = at;
  const auto hand_over = [&] {
    if (filled > 0) take(piece_at, Bytes(piece).first(filled));
    piece_at += filled;
    filled = 0;
  };
  std::uint64_t level_at = at;          // where this level's nodes begin
  std::uint64_t below_at = 0;           // and those below
  std::uint64_t chunks_of_a_child = 1;  // of a full one
  for (std::size_t level = 0; level < level_nodes_.size(); ++level) {
    const std::uint64_t children = level == 0 ? chunks_ : level_nodes_[level - 1];
    const std::uint64_t kept = ceil_div(shown, chunks_of_a_child);
    for (std::uint64_t n = 0; n < level_nodes_[level]; ++n) {
      if (filled == piece.size()) hand_over();
      std::byte* node = piece.data() + filled;
      std::fill_n(node, node_bytes(), std::byte{0});
      filled += node_bytes();
      const MutableBytes head(node, kHead);
      const std::uint64_t first = n * kChildren;
      const std::uint64_t all_children = std::min<std::uint64_t>(children, first + kChildren);
      // Of what the cut leaves out altogether nothing changes.
      const std::uint64_t end = first < kept ? std::min(all_children, kept) : all_children;
      const std::uint64_t last_child = first < kept ? kept : children;
      std::memcpy(node, "TREE", 4);
      head[4] = kChunkNode;
      head[kLevelAt] = static_cast<std::byte>(level);
      put_little_endian(head, kEntriesAt, 2, end - first);
      put_little_endian(head, kLeftAt, 8, n == 0 ? kNowhere : level_at + (n - 1) * node_bytes());
      put_little_endian(head, kRightAt, 8, end == last_child ? kNowhere : level_at + (n + 1) * node_bytes());
      std::byte* entry = node + kHead;
      for (std::uint64_t child = first; child < end; ++child, entry += key_bytes() + 8) {
        const std::uint64_t chunk = child * chunks_of_a_child;
        // What a chunk takes is only asked for in its own entry: elsewhere a key is a place to turn at.
        const IndexedChunk stored = level == 0 ? chunk_of(chunk) : IndexedChunk{};
        put_key(entry, chunk, false, stored);
        put_little_endian(MutableBytes(entry + key_bytes(), 8), 0, 8,
                          level == 0 ? stored.address : below_at + child * node_bytes());
      }
      const std::uint64_t chunks = end == last_child && first < kept ? shown : chunks_;
      const std::uint64_t next = end * chunks_of_a_child;
      if (next < chunks) {
        put_key(entry, next, false, {});
      } else {
        put_key(entry, chunks - 1, true, {});
      }
    }
    below_at = level_at;
    level_at += level_nodes_[level] * node_bytes();
    chunks_of_a_child *= kChildren;
  }
  hand_over();
}

std::uint64_t ChunkTree::leaf_of(std::uint64_t chunk) { return chunk / kChildren; }

std::uint64_t ChunkTree::first_of_leaf(std::uint64_t number) { return number * kChildren; }

std::uint64_t ChunkTree::entry_at(std::uint64_t at, std::uint64_t chunk) const {
  return at + leaf_of(chunk) * node_bytes() + kHead + chunk % kChildren * (key_bytes() + 8);
}

std::vector<std::byte> ChunkTree::entry(std::uint64_t chunk, const IndexedChunk& stored) const {
  std::vector<std::byte> bytes(key_bytes() + 8);
  put_key(bytes.data(), chunk, false, stored);
  put_little_endian(bytes, key_bytes(), 8, stored.address);
  return bytes;
}

IndexedChunk ChunkTree::entry_in(Bytes bytes, std::size_t key) const {
  return {get_little_endian(bytes, key + key_bytes(), 8), static_cast<std::uint32_t>(get_little_endian(bytes, key, 4)),
          static_cast<std::uint32_t>(get_little_endian(bytes, key + 4, 4))};
}

IndexedChunk ChunkTree::entry_of(ByteStore& store, std::uint64_t at, std::uint64_t chunk) const {
  std::vector<std::byte> bytes(key_bytes() + 8);
  store.read_at(entry_at(at, chunk), MutableBytes(bytes));
  return entry_in(bytes, 0);
}

std::vector<IndexedChunk> ChunkTree::entries_from(ByteStore& store, std::uint64_t at, std::uint64_t leaf) const {
  const std::uint64_t leaves = std::min(kPiece / node_bytes(), level_nodes_[0] - leaf);
  std::vector<std::byte> bytes(leaves * node_bytes());
  store.read_at(at + leaf * node_bytes(), MutableBytes(bytes));
  std::vector<IndexedChunk> found;
  const std::uint64_t end = std::min<std::uint64_t>(chunks_, (leaf + leaves) * kChildren);
  for (std::uint64_t chunk = leaf * kChildren; chunk < end; ++chunk) {
    const std::uint64_t key = entry_at(0, chunk) - leaf * node_bytes();
    found.push_back(entry_in(bytes, key));
  }
  return found;
}

std::vector<IndexedChunk> ChunkTree::entries(ByteStore& store, std::uint64_t at) const {
  std::vector<std::byte> leaves(level_nodes_[0] * node_bytes());
  store.read_at(at, MutableBytes(leaves));
  std::vector<IndexedChunk> found;
  found.reserve(chunks_);
  for (std::uint64_t chunk = 0; chunk < chunks_; ++chunk) {
    const std::uint64_t key = entry_at(0, chunk);
    found.push_back(entry_in(leaves, key));
  }
  return found;
}

}  // namespace weft::storage
