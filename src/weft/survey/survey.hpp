// weft/survey/survey.hpp - what an HDF5 file holds, whoever wrote it: every dataset, and how it is stored.
//
// Nothing is read but metadata. Not collective.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/storage/chunk_codec.hpp"
#include "weft/support/shape.hpp"

#pragma GCC visibility push(default)

namespace weft::survey {

// How a dataset's bytes lie: in its header, in one piece, in chunks, elsewhere (in other datasets or other files), or
// not at all.
enum class StorageKind : std::uint8_t { compact, contiguous, chunked, view, external };

std::string_view name_of(StorageKind kind);

// What a dataset is, without what its index holds: an index of many chunks takes long to count.
struct DatasetDescription {
  std::string path;     // the first of its names, in the order of a walk by name
  bool scalar = false;  // one element, no axis
  bool empty = false;   // a null dataspace, or an extent of 0: no element
  Shape shape;
  Shape most;            // extents it may grow to; 0: without limit
  std::string type;      // for people: "float64", "float32, big-endian", "compound of 3, 24 bytes", "text"
  bool numbers = false;  // integers, with names (an enumeration) or without, or floating point; of any size and order
  bool movable = true;   // elements are bytes alone: no references, nothing of variable length
  std::uint64_t element_bytes = 0;
  StorageKind storage = StorageKind::contiguous;
  Shape chunk;  // as long as the shape where it is chunked, empty where not
  std::vector<storage::Filter> filters;

  // Elements times their size; 0 where it is empty.
  std::uint64_t logical_bytes() const;
  bool grows() const { return most != shape; }
};

struct DatasetFacts : DatasetDescription {
  std::uint64_t stored_bytes = 0;   // what its elements take in the file, filtered as they are
  std::uint64_t stored_chunks = 0;  // chunks that have a place in the file
  std::uint64_t index_bytes = 0;    // what it takes to find them

  // Elements times their size, of what has a place in the file, filters undone.
  std::uint64_t stored_elements_bytes() const;
};

struct Survey {
  std::string path;
  std::uint64_t file_bytes = 0;
  std::uint64_t free_bytes = 0;  // known to be free inside the file
  // Headers, attributes, groups and indexes of all objects. What is neither this, nor free, nor stored by a dataset, is
  // text and lists of variable length, or lost: the place of what was deleted, say.
  std::uint64_t metadata_bytes = 0;
  std::vector<DatasetFacts> datasets;

  // nullptr where there is no dataset of this name ("/Data" or "Data").
  const DatasetFacts* find(std::string_view name) const;
};

// Whether any part of a type is text of variable length (which HDF5 counts as text, not as a list).
bool has_variable_text(hid_t type);

// Of an open dataset. Throws Error(data) where HDF5 cannot tell, or tells what cannot be.
DatasetDescription description_of(hid_t dataset, const std::string& path);
DatasetFacts facts_of(hid_t dataset, const std::string& path);

// All datasets, in order of their paths; one with several names is told once. Soft and external links are not followed.
// `visiting` is called with the path of every dataset before it is looked at. Throws Error(system) where the file
// cannot be opened, Error(data) where it is not HDF5, or damaged in what is read here. HDF5 itself may crash or never
// end on a damaged file: who must not, asks in another process (support/own_process.hpp).
Survey survey(const std::string& path, const std::function<void(const std::string&)>& visiting = {});

}  // namespace weft::survey

#pragma GCC visibility pop
