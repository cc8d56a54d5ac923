// weft/view/series_mesh.hpp - the mesh that a series was written with, whole.
#pragma once

#include "weft/reading/series_reader.hpp"
#include "weft/view/vtu_mesh.hpp"

namespace weft {

bool has_mesh(const SeriesReader& reader);

// Throws Error(usage) where the series has none. Not collective.
view::Mesh read_mesh(const SeriesReader& reader);

}  // namespace weft
