// weft/storage/series_file.hpp - a Weft file's HDF5 side: creating it, and reading its catalog. What is changed later
// is in storage/series_changes.hpp.
//
// Every function opens the file through HDF5, does one thing and closes it: no HDF5 handle outlives a call. None is
// collective: one rank calls, and the result is broadcast.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/storage/attributes.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/storage/top_level.hpp"
#include "weft/storage/writer_state.hpp"

#pragma GCC visibility push(default)

namespace weft::storage {

inline constexpr const char* kChecksumsGroup = "/weft/checksums";

// A field as it is created: its catalog's identity plus the chunk of the dataset (steps first).
struct FieldPlan {
  FieldEntry field;
  Shape chunk;
  Attributes attributes;
};

// An array with no step axis, stored contiguously: the mesh, or the node numbers of a field on a subset of the nodes.
struct FixedArrayPlan {
  std::string path;  // "/mesh/points"
  DataType type = DataType::float64;
  Shape shape;
  Attributes attributes;
};

// Everything a new file will hold; pure data, made before anything is touched.
struct FilePlan {
  std::vector<FieldPlan> fields;  // without "time", which every series has
  std::string time_units;
  std::string calendar;  // CF's attribute of the times; "": none
  std::vector<FixedArrayPlan> fixed_arrays;
  RegularGrid grid;                 // where the nodes are those of a regular grid
  Attributes attributes;            // of the root group
  std::uint64_t segment_steps = 0;  // length of the first segment
  std::uint64_t commit_slots = 1;   // words for them (storage/commit_groups.hpp)
  std::uint64_t align_bytes = 0;    // large data begin at multiples of this; 0: no wish
};

// Throws Error(usage), about the file `path`, where no such file can be made: names, lengths, chunks.
void check_plan(const std::string& path, const FilePlan& plan);

// What no field may be called.
inline constexpr std::array<std::string_view, 5> kReservedNames{"time", "weft", "mesh", "maps", "VTKHDF"};

// Creates the file with all its datasets at full extent, nothing filled, and all slots at 0. An existing file is
// removed first: whoever wants it to stay until the new one is whole makes that beside it (storage/new_file.hpp). An
// empty file is taken as one that was striped for us beforehand, and filled as it is. Throws Error(system) on what the
// system refuses, Error(usage) on a bad plan.
SeriesCatalog create_series_file(const std::string& path, const FilePlan& plan, const ViewMaker& view = {});

// Whether the file is one of Weft's. Throws Error(system) where it cannot be opened at all.
bool is_series_file(const std::string& path);

// The catalog of an existing file, nothing where it is HDF5 and not a Weft file. Throws Error(data) where it is not
// HDF5, of a later format, or damaged.
std::optional<SeriesCatalog> find_catalog(const std::string& path);

// The same, of a file that has to be Weft's: throws Error(data) where it is not.
SeriesCatalog read_catalog(const std::string& path);

}  // namespace weft::storage

#pragma GCC visibility pop
