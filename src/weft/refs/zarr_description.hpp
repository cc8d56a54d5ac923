// weft/refs/zarr_description.hpp - what an HDF5 object says of itself, in zarr's words: type, attributes, names of
// axes.
//
// None of the calls is collective.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "weft/support/shape.hpp"

namespace weft::refs {

// "<f8", ">i4", "|u1" of the type of an open dataset; nothing where it is no number of a size that NumPy has.
std::optional<std::string> dtype_of(hid_t type);

// Its attributes that are numbers or text: one value as it is, several as a list. Left out are those that HDF5 and
// netCDF keep house with, _FillValue (missing_number), and what JSON has no number for.
nlohmann::json attributes_of(hid_t object);

// The attribute _FillValue; null where there is none.
nlohmann::json missing_number(hid_t dataset);
// What HDF5 shows where nothing was written.
nlohmann::json fill_number(hid_t dataset);

// Whether it is a dimension without values, as netCDF marks it.
bool only_counts(hid_t dataset);

// Names of the axes of the datasets of one group, for _ARRAY_DIMENSIONS: of their dimension scales, else of their
// labels, else of their extents ("dim_90"). Readers want one extent a name, and no name twice in one dataset, so where
// a name has another extent already, the axis is named by its extent.
//
// HDF5 keeps of a scale which object it is, and tells any one of its names: `known` has those that the reader will see,
// by the objects' addresses.
class AxisNaming {
 public:
  explicit AxisNaming(const std::map<std::uint64_t, std::string>& known) : known_(known) {}
  // `shape`: as the reader will see it.
  std::vector<std::string> names_of(hid_t dataset, const std::string& path, const Shape& shape);

 private:
  std::string name_of_axis(hid_t dataset, unsigned axis) const;

  const std::map<std::uint64_t, std::string>& known_;
  std::map<std::string, std::uint64_t> extents_;
};

}  // namespace weft::refs
