// weft/survey/places.hpp - where the data of datasets lie in the file: all inside it, and no two in the same place.
//
// Worked: /V of 8 chunks of 1,000 bytes behind each other from 4,096 on is the one place [4096, 12096); a dataset of
// 100 bytes at 12,000 would overlap it.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::survey {

// Bytes [begin, end) of the file.
struct DataRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string owner;  // the dataset's path
};

// Chunks beyond which HDF5 1.10 takes too long to say where each of them is, where it walks the index anew for each
// (storage::each_stored_chunk).
inline constexpr std::uint64_t kMostPlaces = 20000;

// Appends the places of an open dataset's data: none where it is compact, virtual, elsewhere, or has no room yet. False
// where it has more chunks than kMostPlaces, and HDF5 would walk the index for each. Throws
// Error(data) where HDF5 cannot tell. Not collective.
bool add_places(hid_t dataset, const std::string& path, std::vector<DataRange>& places);

// The first thing wrong with them: one that does not lie within `file_bytes`, or two that overlap. Sorts them.
std::optional<std::string> first_conflict(std::vector<DataRange>& places, std::uint64_t file_bytes);

}  // namespace weft::survey
