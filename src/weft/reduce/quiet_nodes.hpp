// weft/reduce/quiet_nodes.hpp - the many nodes of a window in which no beat begins or ends, taken side by side.
//
// In most windows most nodes rest, or are in the middle of a beat. What RunningBeats::see() does with those is done
// here for a block of nodes at once, in loops that compilers turn into vector instructions; same bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "weft/support/data_type.hpp"

namespace weft::reduce {

inline constexpr std::size_t kBlockNodes = 64;
using BlockRow = std::array<double, kBlockNodes>;  // one value for each node

// The least and the greatest of some values; what is no number does not count, as it neither begins nor ends a beat.
struct Extent {
  double lo = std::numeric_limits<double>::infinity();
  double hi = -std::numeric_limits<double>::infinity();
  void add(double value) {
    lo = value < lo ? value : lo;
    hi = value > hi ? value : hi;
  }
  void add(const Extent& other) {
    lo = other.lo < lo ? other.lo : lo;
    hi = other.hi > hi ? other.hi : hi;
  }
};

// Of `nodes` nodes, at most a block of them: node i has element i * stride + offset of `values`.
Extent extent_of(DataType type, std::span<const std::byte> values, std::uint64_t nodes, std::uint64_t stride,
                 std::uint64_t offset);
Extent extent_of(std::span<const BlockRow> rows);

// Of a whole block: node i has element i * stride of the values at `from`.
void take_block(DataType type, const std::byte* from, std::uint64_t stride, BlockRow& row);

// `rows` are the samples of the window, after the one before it; `spans` the intervals that end with rows[1], rows[2]..
// They update the nodes' state as running_beats.hpp has it: of nodes of which none rises above the threshold, and of
// nodes of which none falls below it.
void see_resting(std::span<const BlockRow> rows, std::span<const double> spans, std::span<double, kBlockNodes> level,
                 std::span<double, kBlockNodes> value);
void see_in_beat(std::span<const BlockRow> rows, std::span<double, kBlockNodes> value);

}  // namespace weft::reduce
