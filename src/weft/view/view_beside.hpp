// weft/view/view_beside.hpp - a view in a small file beside the data: of a file that Weft did not write, or on a mesh
// that is not in it.
//
// The file itself is not touched: what is written holds the mesh and the times, and shows the data where they are. The
// two must stay where they are to each other.
#pragma once

#include <string>

#include "weft/reading/series_reader.hpp"
#include "weft/view/view_file.hpp"
#include "weft/view/vtu_mesh.hpp"

#pragma GCC visibility push(default)

namespace weft::view {

struct BesideRequest {
  std::string from;                // FILE or FILE:DATASET
  reading::SeriesChoice choice{};  // what the file does not say itself
  std::string mesh{};              // a .vtu file; empty: the file's own mesh or grid
  std::string out{};               // default: the file's name ending in .vtkhdf
};

// The view of what a reader reads, on its own mesh or grid or on one that is named. Of a FILE:DATASET that dataset
// alone. Throws Error(usage) where there is neither mesh nor grid, or none of the fields stands on it.
View view_of(const SeriesReader& reader, const Mesh* named, const std::string& mesh_path);

// Left out is what cannot be shown without copying: packed values, and axes in another order than step, places,
// components. Throws Error(usage) where that is all, or as view_of(); Error(data) or Error(system) where a file is not
// what it should be. Not collective.
ViewReport view_beside(const BesideRequest& request, const ViewOptions& options = {});

}  // namespace weft::view

#pragma GCC visibility pop
