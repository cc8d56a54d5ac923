// weft/view/series_mesh.hpp - the mesh in a file of steps, whole: of a Weft series, or of VTKHDF.
#pragma once

#include "weft/reading/series_reader.hpp"
#include "weft/view/vtu_mesh.hpp"

namespace weft {

bool has_mesh(const SeriesReader& reader);

// Throws Error(usage) where the file has none, Error(data) where it makes no sense. Not collective.
view::Mesh read_mesh(const SeriesReader& reader);

}  // namespace weft
