// storage/dimensions.hpp - the names of a series' axes, as netCDF-4 has them: every axis of every field is a dimension.
//
// netCDF-4 and xarray open a file only if each axis of a dataset has a dimension scale of its extent, or none has. Axis
// 0 of every field has /time. The others get:
//   - on a grid: z, y, x (y, x), with the coordinates of the points;
//   - else: node or cell, which count and have no values, as netCDF's dimensions without a coordinate variable do;
//   - behind the nodes: component.
// An axis of another extent has its extent in its name, as component_3; a name that a field has gets _axis behind it.
//
// Example: V (151, 400000, 2) and V_fine (151, 90000) have the dimensions time, node, component, and time, node_90000.
// Pure: storage/top_level.cpp makes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/storage/series_catalog.hpp"

namespace weft::storage {

struct Dimension {
  std::string name;
  std::uint64_t extent = 0;
  std::optional<std::vector<double>> coordinates{};  // nothing: it only counts
};

struct Dimensions {
  std::vector<Dimension> all;
  std::vector<std::vector<std::size_t>> axes;  // of each field: which of them its axes behind the steps are
};

Dimensions dimensions_of(const SeriesCatalog& catalog);

}  // namespace weft::storage
