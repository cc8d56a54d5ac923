// weft/view/view.hpp - what a viewer is to see of a file: a mesh, fields on it, times. Plain data.
//
// A view copies no field data: it says which elements of which datasets are a field's values, step after step. It is
// made from a Weft file (view/series_view.hpp) or from a foreign one (view/foreign_view.hpp), and written down as
// VTKHDF (view/vtkhdf.hpp) or XDMF (view/xdmf.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/storage/object_plan.hpp"
#include "weft/storage/series_catalog.hpp"

#pragma GCC visibility push(default)

namespace weft::view {

// Where a stretch of a field's steps lies: a box of a dataset whose first axis is the step. The elements of the box, in
// row-major order, are the field's values [step][point][component].
struct Stretch {
  std::string file = ".";  // as storage::Mapping::file
  std::string dataset;
  Shape shape;  // of the whole dataset
  Box box;
  // Where the dataset is seen with other axes than it has (all steps on one axis, or a dataset a step): its own shape,
  // and the same elements there.
  Shape own_shape{};
  Box own_box{};

  const Shape& stored_shape() const { return own_shape.empty() ? shape : own_shape; }
  const Box& stored_box() const { return own_shape.empty() ? box : own_box; }
};

struct ViewField {
  std::string name;  // as the viewer shows it
  DataType type = DataType::float64;
  storage::Support support = storage::Support::nodes;
  std::uint64_t points = 0;  // values of one step, per component: of the whole mesh, or fewer where it begins with them
  std::uint64_t components = 1;  // 3 for a vector, 9 for a tensor
  std::string units;
  std::vector<Stretch> stretches;  // in order of the steps
};

// A row of a map (view/map_view.hpp): a value for each node, the same at every step.
struct MapRow {
  std::string name;  // as the viewer shows it
  DataType type = DataType::float64;
  std::string dataset;  // of the file the view is in
  Shape shape;          // of the whole dataset
  Box box;              // the row in it
  std::optional<double> fill{};
};

// Cells over points, as VTK numbers both.
struct Unstructured {
  std::uint64_t points = 0;
  std::uint64_t cells = 0;
  std::uint64_t corners = 0;  // length of the connectivity
  // Datasets of the file the view is in: (points, 3), (corners), (cells + 1), (cells). Without cells the last three are
  // not there.
  std::string points_path = "/mesh/points";
  std::string connectivity_path = "/mesh/connectivity";
  std::string offsets_path = "/mesh/offsets";
  std::string types_path = "/mesh/types";

  // Its paths, where it lies in this folder; how large it is, is not known yet.
  static Unstructured in(const std::string& folder) {
    return {0, 0, 0, folder + "/points", folder + "/connectivity", folder + "/offsets", folder + "/types"};
  }
};

// One mesh and what stands on it.
struct Block {
  std::string name;
  std::optional<Unstructured> unstructured;
  std::optional<storage::RegularGrid> grid;  // one of the two
  std::vector<ViewField> fields;
  std::vector<MapRow> maps{};
};

struct View {
  std::uint64_t steps = 0;
  Stretch times;                   // float64, one value a step
  std::vector<Block> blocks;       // one, but for fields on some of the nodes that are not the first ones
  std::vector<ViewField> globals;  // values that stand on nothing
  // What is in the file and cannot be shown, each with the reason.
  std::vector<std::string> left_out;
  // Arrays the blocks refer to and the file does not have yet.
  storage::ObjectPlan mesh_objects;
};

}  // namespace weft::view

#pragma GCC visibility pop
