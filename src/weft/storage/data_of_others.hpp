// weft/storage/data_of_others.hpp - where the values of datasets lie that somebody else put into a Weft file.
//
// A change of metadata copies and compares what may be metadata; gigabytes of somebody's values need not be. Weft never
// moves or removes such datasets, so that their values stay where they are. Not collective.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <vector>

#include "weft/storage/series_catalog.hpp"

namespace weft::storage {

// The bytes [begin, end) of a file.
struct ByteRange {
  std::uint64_t begin;
  std::uint64_t end;
};

// Of an open file, in no order. Small datasets are left out, and so is what HDF5 cannot tell the place of at a fair
// price: what is not named here may be anything.
std::vector<ByteRange> data_of_others(hid_t file, const SeriesCatalog& catalog);

}  // namespace weft::storage
