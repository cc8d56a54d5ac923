// weft/view/foreign_view.hpp - a view of a file that Weft did not write, in a small file beside it.
//
// The file itself is not touched: what is written holds the mesh and the times, and shows the data where they are. The
// two must stay where they are to each other.
#pragma once

#include <optional>
#include <string>

#include "weft/storage/recording.hpp"
#include "weft/view/view_file.hpp"
#include "weft/view/vtu_mesh.hpp"

namespace weft::view {

struct ForeignFile {
  std::string from;                          // FILE or FILE:DATASET; without one, as storage/recording.hpp finds it
  std::string axes = "step,node,component";  // what the dataset's axes are, in their order (layout/axes.hpp)
  std::optional<std::string> time{};         // the dataset of the times; else as storage/recording.hpp finds it
  std::string mesh;                          // a .vtu file
  std::string out{};                         // default: the file's name ending in .vtkhdf
};

// What is shown of such a file. The mesh is in the view's `mesh_objects` too.
struct RecordedView {
  storage::Recording recording;
  Mesh mesh;
  View view;
};

// Nothing is written, and `out` not looked at. Throws as view_foreign_file().
RecordedView recorded_view(const ForeignFile& file);

// Throws Error(usage) where the axes cannot be shown without copying (steps first, nodes second, components last) or do
// not fit the dataset, and where the mesh has another number of points than the dataset has nodes; Error(data) or
// Error(system) where a file is not what it should be. Not collective.
ViewReport view_foreign_file(const ForeignFile& file, const ViewOptions& options = {});

}  // namespace weft::view
