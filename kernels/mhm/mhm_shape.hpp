// kernels/mhm/mhm_shape.hpp - how many local problems there are, and how much each writes.
//
// 4^C local problems, one for each triangle of a criss-cross mesh; each is a triangle refined S times, whose lattice
// has (S + 1)(S + 2) / 2 points. A solution file has as many values, which the program sees as points of K values each:
// memory holds a point's values together, the file one portion for each of the K dimensions. A value is 13 bytes of
// text.
//
// Example (the paper's Table I): C = 6, S = 64, K = 3: 4,096 files of 2,145 values (715 points x 3), 27,885 bytes each,
// 108.9 MiB together. Pure arithmetic.
#pragma once

#include <cstdint>

namespace weft::kernels::mhm {

inline constexpr std::uint64_t kValueBytes = 13;  // "%12.5e\n"

struct MhmShape {
  std::uint64_t ccross = 4;
  std::uint64_t sub_elements = 32;
  std::uint64_t dims = 3;

  std::uint64_t problems() const { return std::uint64_t{1} << (2 * ccross); }
  std::uint64_t values() const { return (sub_elements + 1) * (sub_elements + 2) / 2; }  // of a problem
  std::uint64_t points() const { return values() / dims; }
  std::uint64_t problem_bytes() const { return kValueBytes * values(); }
};

}  // namespace weft::kernels::mhm
