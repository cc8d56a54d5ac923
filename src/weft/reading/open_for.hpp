// weft/reading/open_for.hpp - a file opened for one read of one field: what is read, and what a request costs.
//
// Which gaps pay to be read over depends on what requests cost where the file lies. By default that is what the field
// was laid out for; it may be measured, or said. Not collective.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "weft/reading/series_reader.hpp"
#include "weft/support/shape.hpp"

#pragma GCC visibility push(default)

namespace weft::reading {

// What is read: one of the three.
struct FieldRead {
  std::optional<Shape> trace{};             // a node's number, or its place on a grid {z, y, x}: all committed steps
  std::optional<std::uint64_t> snapshot{};  // a step: all nodes
  std::string box{};                        // FIRST:END for each axis, steps first: "0:10,5,:"
};

// What the read is planned for.
struct CostWish {
  bool measure = false;  // else what the field was laid out for
  std::optional<double> latency_s{};
  std::optional<double> bandwidth{};  // bytes per second
};

struct OpenedRead {
  SeriesReader reader;
  std::string field;  // its name
  Box box;            // inside the field and the committed steps
};

// `field` may be "" where `path` names it, or there is only one. Throws Error(usage) for a read that cannot be,
// Error(data) where no step is committed, and as SeriesReader::open().
OpenedRead open_for(const std::string& path, const std::string& field, const FieldRead& read, const CostWish& cost = {},
                    ReadOptions options = {});

// "0:10,5,:" -> [0, 10), [5, 6) and all of the third axis of `shape`. Throws Error(usage). Pure.
Box parse_box(std::string_view text, const Shape& shape);

}  // namespace weft::reading

#pragma GCC visibility pop
