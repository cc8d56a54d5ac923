// weft/reading/grid_places.hpp - where the nodes of a grid are, as the file's convention says it.
//
//   openPMD   gridSpacing, gridGlobalOffset and gridUnitSI of the mesh record
//   VTKHDF    Origin and Spacing of an ImageData
//   others    an array beside the field for each axis, of the axis's name ("lat"), if its values are evenly spaced
//
// A grid of which nothing is said, or whose nodes are not evenly spaced or fall along an axis, has its nodes one apart.
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "weft/storage/series_catalog.hpp"
#include "weft/survey/known_axes.hpp"

namespace weft::reading {

struct GridPlaces {
  storage::RegularGrid grid;
  std::vector<std::string> left_out{};  // coordinates that are in the file and not in the grid, each with the reason
};

// Of a field of 2 or 3 spatial axes; `dataset` is one of its datasets, `shape` that of one step. Reads attributes and
// coordinates. Not collective.
GridPlaces grid_places(hid_t file, const survey::KnownAxes& known, const std::string& dataset, const Shape& shape);

}  // namespace weft::reading
