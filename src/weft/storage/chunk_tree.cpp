#include "weft/storage/chunk_tree.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "weft/storage/little_endian.hpp"

namespace weft::storage {

namespace {

constexpr std::uint64_t kNowhere = ~0ULL;
constexpr std::size_t kChildren = 64;  // of a full node: twice HDF5's "K" of chunks
constexpr std::size_t kHead = 24;      // signature, type, level, entries, left and right sibling
constexpr std::byte kChunkNode{1};

constexpr std::size_t kLevelAt = 5;
constexpr std::size_t kEntriesAt = 6;
constexpr std::size_t kLeftAt = 8;
constexpr std::size_t kRightAt = 16;

// A file read from here to there, in large pieces: the nodes of a tree lie side by side.
class NodeReader {
 public:
  explicit NodeReader(ByteStore& store) : store_(store), size_(store.size()) {}

  // False where the file ends before.
  bool read(std::uint64_t at, std::size_t bytes, std::vector<std::byte>& into) {
    if (at > size_ || bytes > size_ - at) return false;
    if (at < begin_ || at + bytes > begin_ + piece_.size()) {
      constexpr std::uint64_t kPiece = 1 << 20;
      begin_ = at;
      piece_.resize(std::min(size_ - at, std::max<std::uint64_t>(kPiece, bytes)));
      store_.read_at(at, MutableBytes(piece_));
    }
    const auto from = piece_.begin() + static_cast<std::ptrdiff_t>(at - begin_);
    into.assign(from, from + static_cast<std::ptrdiff_t>(bytes));
    return true;
  }

 private:
  ByteStore& store_;
  std::uint64_t size_;
  std::uint64_t begin_ = 0;
  std::vector<std::byte> piece_;
};

class TreeReader {
 public:
  TreeReader(ByteStore& store, const Shape& shape, const Shape& chunk)
      : leaves_(store), others_(store), shape_(shape), chunk_(chunk), most_nodes_(store.size() / kHead) {}

  bool node(std::uint64_t at, int level) {
    const std::size_t key = 8 + 8 * (chunk_.size() + 1);
    std::vector<std::byte> bytes;
    NodeReader& reader = level == 0 ? leaves_ : others_;
    if (++nodes_ > most_nodes_ || !reader.read(at, kHead + kChildren * (key + 8) + key, bytes)) return false;
    constexpr int kMostLevels = 16;
    const auto found = std::to_integer<int>(bytes[kLevelAt]);
    if (std::memcmp(bytes.data(), "TREE", 4) != 0 || bytes[4] != kChunkNode || found > kMostLevels) return false;
    if (level < 0) return node(at, found);  // the root: its level is not known before
    const auto entries = static_cast<std::size_t>(get_little_endian(bytes, kEntriesAt, 2));
    if (found != level || entries > kChildren) return false;
    for (std::size_t entry = 0; entry < entries; ++entry) {
      const std::size_t begin = kHead + entry * (key + 8);
      const std::uint64_t child = get_little_endian(bytes, begin + key, 8);
      if (level > 0 ? !node(child, level - 1) : !add(bytes, begin, child)) return false;
    }
    return true;
  }

  std::vector<NumberedChunk> chunks;

 private:
  bool add(const std::vector<std::byte>& bytes, std::size_t at, std::uint64_t address) {
    NumberedChunk chunk;
    bool outside = false;
    for (std::size_t axis = 0; axis < chunk_.size(); ++axis) {
      const std::uint64_t first = get_little_endian(bytes, at + 8 + 8 * axis, 8);
      if (first % chunk_[axis] != 0) return false;
      outside = outside || first >= shape_[axis];
      chunk.number = chunk.number * ceil_div(shape_[axis], chunk_[axis]) + first / chunk_[axis];
    }
    if (outside) return true;
    if (!chunks.empty() && chunk.number <= chunks.back().number) return false;
    chunk.stored = {address, static_cast<std::uint32_t>(get_little_endian(bytes, at, 4)),
                    static_cast<std::uint32_t>(get_little_endian(bytes, at + 4, 4))};
    chunks.push_back(chunk);
    return true;
  }

  NodeReader leaves_;
  NodeReader others_;
  const Shape& shape_;
  const Shape& chunk_;
  std::uint64_t most_nodes_;  // nodes may lead to each other, and to no chunk, in any number of ways
  std::uint64_t nodes_ = 0;
};

}  // namespace

ChunkTree::ChunkTree(const Shape& shape, Shape chunk, std::uint64_t element_bytes)
    : chunk_(std::move(chunk)), element_bytes_(element_bytes) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    grid_.push_back(ceil_div(shape[axis], chunk_[axis]));
    chunks_ *= grid_.back();
  }
  for (std::uint64_t nodes = ceil_div(chunks_, kChildren);; nodes = ceil_div(nodes, kChildren)) {
    level_nodes_.push_back(nodes);
    if (nodes <= 1) break;
  }
}

std::size_t ChunkTree::node_bytes() const { return kHead + kChildren * (key_bytes() + 8) + key_bytes(); }

std::uint64_t ChunkTree::bytes() const {
  std::uint64_t nodes = 0;
  for (const std::uint64_t on_level : level_nodes_) nodes += on_level;
  return nodes * node_bytes();
}

std::uint64_t ChunkTree::root(std::uint64_t at) const { return at + bytes() - node_bytes(); }

// The key of a chunk; `behind`: one that is greater, for the end of the last node.
void ChunkTree::put_key(std::byte* key, std::uint64_t chunk, bool behind, const IndexedChunk& stored) const {
  const MutableBytes bytes(key, key_bytes());
  put_little_endian(bytes, 0, 4, behind ? 0 : stored.bytes);
  put_little_endian(bytes, 4, 4, behind ? 0 : stored.skipped);
  for (std::size_t axis = grid_.size(); axis-- > 0;) {
    put_little_endian(bytes, 8 + 8 * axis, 8, (chunk % grid_[axis] + (behind ? 1 : 0)) * chunk_[axis]);
    chunk /= grid_[axis];
  }
  put_little_endian(bytes, 8 + 8 * grid_.size(), 8, behind ? element_bytes_ : 0);
}

std::vector<std::byte> ChunkTree::nodes(std::uint64_t at, std::uint64_t shown,
                                        const std::function<IndexedChunk(std::uint64_t)>& chunk_of) const {
  std::vector<std::byte> all(bytes());
  std::byte* node = all.data();
  std::uint64_t level_at = at;          // where this level's nodes begin
  std::uint64_t below_at = 0;           // and those below
  std::uint64_t chunks_of_a_child = 1;  // of a full one
  for (std::size_t level = 0; level < level_nodes_.size(); ++level) {
    const std::uint64_t children = level == 0 ? chunks_ : level_nodes_[level - 1];
    const std::uint64_t kept = ceil_div(shown, chunks_of_a_child);
    for (std::uint64_t n = 0; n < level_nodes_[level]; ++n, node += node_bytes()) {
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
        const IndexedChunk stored = chunk_of(chunk);
        put_key(entry, chunk, false, stored);
        put_little_endian(MutableBytes(entry + key_bytes(), 8), 0, 8,
                          level == 0 ? stored.address : below_at + child * node_bytes());
      }
      const std::uint64_t chunks = end == last_child && first < kept ? shown : chunks_;
      const std::uint64_t next = end * chunks_of_a_child;
      if (next < chunks) {
        put_key(entry, next, false, chunk_of(next));
      } else {
        put_key(entry, chunks - 1, true, {});
      }
    }
    below_at = level_at;
    level_at += level_nodes_[level] * node_bytes();
    chunks_of_a_child *= kChildren;
  }
  return all;
}

std::optional<std::vector<NumberedChunk>> read_chunk_tree(ByteStore& store, std::uint64_t root, const Shape& shape,
                                                          const Shape& chunk) {
  TreeReader reader(store, shape, chunk);
  if (!reader.node(root, -1)) return std::nullopt;
  return std::move(reader.chunks);
}

}  // namespace weft::storage
