// weft/series/field_layout.hpp - from what a field asks for to the chunk its dataset gets. Pure.
#pragma once

#include <string>

#include "weft/series/series_spec.hpp"

namespace weft::series {

struct FieldLayout {
  Shape chunk;            // steps first
  std::string rationale;  // the design as JSON text, stored with the dataset
};

// `steps` is the length of the series, or of what is assumed of it where it is unknown; `places` are the axes
// that say which node: two or three are y and x, or z, y and x. Throws Error(usage).
FieldLayout choose_layout(const FieldSpec& field, std::size_t places, std::uint64_t steps, int ranks,
                          std::uint64_t align_bytes);

// Paper 1's default chunk for `per_step`: all of 41 steps, or fewer so that a chunk stays at or below 2 GiB.
// (151, 3253316, 2) doubles: (41, 3253316, 2), 2.13e9 bytes.
Shape rows_chunk(const Shape& per_step, std::uint64_t steps, std::uint64_t element_bytes);

}  // namespace weft::series
