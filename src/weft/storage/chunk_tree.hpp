// weft/storage/chunk_tree.hpp - the index of a chunked dataset as every reader of HDF5 knows it, made by arithmetic.
//
// A B-tree of version 1 says for each chunk where it lies, how many bytes it takes there and which filters it skipped.
// HDF5 makes one chunk by chunk; here all chunks there is room for are known from the start, so that the whole tree is
// made at once: its leaves one behind the other, then the nodes above them, the root last. The place of each entry
// follows from the chunk's number.
//
// https://docs.hdfgroup.org/hdf5/v1_10/_f_m_t3.html ("Version 1 B-trees", node type 1). Not collective.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/support/shape.hpp"

namespace weft::storage {

// A chunk as the index has it.
struct IndexedChunk {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;    // as stored
  std::uint32_t skipped = 0;  // filters that were left out, a bit each
};

// The tree of a dataset of these extents, room included, cut into these chunks; chunks are numbered row-major.
class ChunkTree {
 public:
  // `paged`: no node reaches over a page of 4 KiB (where it begins at one, and has up to 4 axes), so that an entry that
  // is overwritten is on the disk whole or not at all.
  ChunkTree(const Shape& shape, Shape chunk, std::uint64_t element_bytes, bool paged = false);

  std::uint64_t chunks() const { return chunks_; }
  // What all nodes take together.
  std::uint64_t bytes() const;
  // Where the root lies when the tree begins at `at`.
  std::uint64_t root(std::uint64_t at) const;

  // The nodes of a tree that begins at `at`, of the first `shown` chunks (1 at least). Those that would lead to the
  // others are made, too: only the few nodes at the cut differ from those of the whole tree. They come in pieces of a
  // MiB at most, one behind the other, as an index may be larger than memory; `chunk_of` is asked in ascending order.
  void make_nodes(std::uint64_t at, std::uint64_t shown, const std::function<IndexedChunk(std::uint64_t)>& chunk_of,
                  const std::function<void(std::uint64_t place, Bytes nodes)>& take) const;

  // The entry of a chunk in the tree that begins at `at`, to be overwritten in place: where it lies, and its bytes.
  // Those of consecutive chunks follow each other within a leaf (leaf_of).
  std::uint64_t entry_at(std::uint64_t at, std::uint64_t chunk) const;
  std::vector<std::byte> entry(std::uint64_t chunk, const IndexedChunk& stored) const;
  static std::uint64_t leaf_of(std::uint64_t chunk);
  static std::uint64_t first_of_leaf(std::uint64_t number);
  // What it says now.
  IndexedChunk entry_of(ByteStore& store, std::uint64_t at, std::uint64_t chunk) const;
  // All entries of the tree that begins at `at`. Those that nothing leads to are what they were, or zeros in the leaf
  // that was cut. Throws Error(data) where the file ends before.
  std::vector<IndexedChunk> entries(ByteStore& store, std::uint64_t at) const;
  // Those from a leaf on, of so many leaves that they take a MiB, in one read.
  std::vector<IndexedChunk> entries_from(ByteStore& store, std::uint64_t at, std::uint64_t leaf) const;

 private:
  std::size_t key_bytes() const { return 8 + 8 * (chunk_.size() + 1); }
  std::size_t node_bytes() const;
  IndexedChunk entry_in(Bytes bytes, std::size_t key) const;
  void put_key(std::byte* key, std::uint64_t chunk, bool behind, const IndexedChunk& stored) const;

  Shape grid_;  // chunks along each axis
  Shape chunk_;
  std::uint64_t element_bytes_;
  bool paged_;
  std::uint64_t chunks_ = 1;
  std::vector<std::uint64_t> level_nodes_;  // how many, leaves first
};

}  // namespace weft::storage
