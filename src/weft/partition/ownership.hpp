// weft/partition/ownership.hpp - which elements of one step's array a rank holds, and where in its own memory.
//
// A step's array has a global shape, for example {N, 2}, flattened row-major. A rank gives put() its local array; an
// Ownership says where each owned element belongs. Ghosts are elements of the local array that another rank owns: they
// are skipped. Pure data, no communication. Invariants: runs are sorted by `global`, do not overlap and are as
// long as they can be.
//
// Example: 10 nodes of 2 components, rank 1 holds nodes {4, 5, 8} in this order: runs {global 8, local 0, length 4},
// {global 16, local 4, length 2}.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "weft/support/shape.hpp"

#pragma GCC visibility push(default)

namespace weft::partition {

// `length` elements: from `global` on in the flattened array of the step, from `local` on in the rank's array.
struct Run {
  std::uint64_t global;
  std::uint64_t local;
  std::uint64_t length;
  bool operator==(const Run&) const = default;
};

class Ownership {
 public:
  // The rank holds one box, row-major. If a count is 0, it holds nothing.
  static Ownership box(const Shape& per_step, const Box& box);
  // Several boxes; their arrays follow each other in the local array.
  static Ownership boxes(const Shape& per_step, std::span<const Box> boxes);
  // The local array is the box `held`, of which only the box `owned` (inside it) is owned by this rank: the rest are
  // ghosts.
  static Ownership box_with_ghosts(const Shape& per_step, const Box& held, const Box& owned);
  // Local row i is the global row ids[i] along axis 0 of the step array (a node with all its components). `ghost`, if
  // given, is as long as `ids`: rows where it is not 0 are skipped. Throws Error(usage) if an id is out of range or
  // occurs twice.
  static Ownership nodes(const Shape& per_step, std::span<const std::uint64_t> ids,
                         std::span<const std::uint8_t> ghost = {});
  static Ownership none(const Shape& per_step);
  static Ownership all(const Shape& per_step) { return box(per_step, whole(per_step)); }

  const Shape& shape() const { return shape_; }
  const std::vector<Run>& runs() const { return runs_; }
  std::uint64_t local_elements() const { return local_elements_; }  // what put() takes, ghosts included
  std::uint64_t owned_elements() const { return owned_elements_; }
  // The box, if the rank's elements are one box without ghosts: a collective HDF5 write can select it directly. A rank
  // that holds nothing has an empty box.
  const std::optional<Box>& as_box() const { return box_; }

 private:
  explicit Ownership(Shape shape) : shape_(std::move(shape)) {}
  void add_box(const Box& held, const Box& owned, std::uint64_t local_start);
  void finish();

  Shape shape_;
  std::vector<Run> runs_;
  std::uint64_t local_elements_ = 0;
  std::uint64_t owned_elements_ = 0;
  std::optional<Box> box_;
};

// The share of rank `rank` in `count` items that are split into contiguous blocks as evenly as possible: {first, size}.
// The first `count % ranks` ranks have one more; if there are more ranks than items, the last ranks have none.
struct Block {
  std::uint64_t first;
  std::uint64_t count;
};
Block even_block(std::uint64_t count, int rank, int ranks);
// Its inverse: the block that `place` of `count` is in.
int block_of(std::uint64_t place, std::uint64_t count, int blocks);

// Contiguous, even blocks of nodes: the usual partition.
Ownership even_nodes(const Shape& per_step, int rank, int ranks);

}  // namespace weft::partition

#pragma GCC visibility pop
