// weft/convert/field_groups.hpp - which fields of a view are read together.
//
// A view shows every component of a dataset (steps, nodes, 2) as a field of its own. They lie side by side in the file,
// so reading one reads the other: fields of the same datasets form a group, which is read once with all components.
//
// Example: fields V and phi_e of a dataset Data of (151, 400000, 2): one group of width 2, V is its column at 0 and
// phi_e at 1. A dataset (151, 400000, 3) shown as one vector: a group of width 3 with one column, at 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weft/view/view.hpp"

#pragma GCC visibility push(default)

namespace weft::convert {

struct Column {
  std::size_t field;    // its place among the fields that were grouped
  std::uint64_t first;  // its first component in a point's values
};

struct FieldGroup {
  std::vector<view::Stretch> stretches;  // with all components that are read
  DataType type = DataType::float64;
  storage::Support support = storage::Support::nodes;
  // A step's values are [row][point of the row][component]. On a mesh a row is a node or cell; on a grid it is all of
  // one place along the slowest axis; of a global value there is one.
  std::uint64_t rows = 1;
  std::uint64_t row_points = 1;
  std::uint64_t width = 1;
  std::vector<Column> columns;

  std::uint64_t points() const { return rows * row_points; }
  std::uint64_t row_bytes() const { return row_points * width * size_of(type); }
};

// `lead` axes of a step are those of the mesh (1) or the grid; 0 for global values.
std::vector<FieldGroup> group_fields(std::span<const view::ViewField> fields, std::size_t lead);

// The same fields, one for each component, for formats that know no vectors: NAME_0, NAME_1, ... A group has them
// together again.
std::vector<view::ViewField> split_components(std::span<const view::ViewField> fields, std::size_t lead);

}  // namespace weft::convert

#pragma GCC visibility pop
