// weft/survey/virtual_sources.hpp - what a virtual dataset shows: which elements of which datasets, where.
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "weft/storage/object_plan.hpp"
#include "weft/support/shape.hpp"

namespace weft::survey {

// One mapping.
struct VirtualSource {
  std::string file;  // "." is the file itself
  std::string dataset;
  Shape reach;       // one behind the last element it shows, along every axis of the source; {} where it may grow
  std::string from;  // which of its elements, in words: equal words, equal elements
  std::string to;    // and where they are shown
  bool operator==(const VirtualSource&) const = default;
};

// In the order of the file; none where the dataset is not virtual. Throws Error(data) where HDF5 cannot tell. Not
// collective.
std::vector<VirtualSource> virtual_sources(hid_t dataset);

// The other files in which elements of an open dataset lie, as it names them: of a virtual one, and of one with
// external storage. Throws as above. Not collective.
std::vector<std::string> source_files(hid_t dataset);

// What a planned mapping reads as, once it is in a file.
VirtualSource source_of(const storage::Mapping& mapping);

}  // namespace weft::survey
