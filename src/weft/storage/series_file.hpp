// weft/storage/series_file.hpp - a Weft file's HDF5 side: creating it, mapping it, adding a segment to it.
//
// HDF5 is used only here and in the collective strategies. Every function opens the file, does one thing and closes it,
// so no HDF5 handle outlives a call and nothing a crash can tear stays in flight. None is collective: one rank calls,
// the map is broadcast.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "weft/storage/attributes.hpp"
#include "weft/storage/object_plan.hpp"
#include "weft/storage/series_map.hpp"
#include "weft/support/process_identity.hpp"

namespace weft::storage {

inline constexpr const char* kChecksumsGroup = "/weft/checksums";

// A field as it is created: its map's identity plus the chunk of the dataset (steps first).
struct FieldPlan {
  FieldMap field;
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
  std::vector<FixedArrayPlan> fixed_arrays;
  GridMap grid;                     // where the nodes are those of a regular grid
  Attributes attributes;            // of the root group
  std::uint64_t segment_steps = 0;  // length of the first segment
  std::uint64_t commit_slots = 1;   // one for each rank
  std::uint64_t ranks = 1;          // that will write
  BootId boot{};                    // of the machine that all of them run on; zeros where they run on several
  std::uint64_t align_bytes = 0;    // large data begin at multiples of this; 0: no wish
};

// What the file is to show besides its fields (view/vtkhdf.hpp), for its first `steps` steps; made anew whenever the
// datasets change. Replaces /VTKHDF and /weft/view, and of /maps the groups it names; no other object may be named.
using ViewMaker = std::function<ObjectPlan(const SeriesMap& map, std::uint64_t steps)>;

// Creates the file with all its datasets at full extent, nothing filled, and all slots at 0. An existing file is
// replaced: the new one is removed first. An empty file is taken as one that was striped for us beforehand, and filled
// as it is. Throws Error(system) on what the system refuses, Error(usage) on a bad plan.
SeriesMap create_series_file(const std::string& path, const FilePlan& plan, const ViewMaker& view = {});

// Whether the file is one of Weft's. Throws Error(system) where it cannot be opened at all.
bool is_series_file(const std::string& path);

// Reads the map of an existing file. Throws Error(data) where it is not HDF5, not a Weft file, of a later format, or
// damaged.
SeriesMap read_series_map(const std::string& path);

// Appends a segment of `steps` to every field and renews the top-level datasets (docs/format.md, "Segments"). The
// change is rehearsed on a sparse copy, the bytes it will overwrite are saved beside the file first, and only then it
// is applied.
SeriesMap add_segment(const SeriesMap& map, std::uint64_t steps, const ViewMaker& view = {});

// Makes the top-level datasets exactly `steps` long, when a series ends before its room does.
SeriesMap set_length(const SeriesMap& map, std::uint64_t steps, const ViewMaker& view = {});

// Replaces the view by one of the first `steps` steps, and changes nothing else.
void renew_view(const SeriesMap& map, std::uint64_t steps, const ViewMaker& view);

// Removes the checksums (survey/checksums.hpp), where there are any: for whoever is about to write steps.
void drop_checksums(const SeriesMap& map);

// Gives the file `slots` commit slots, for going on with more ranks than it has; what the old ones say is kept.
SeriesMap grow_slots(const SeriesMap& map, std::uint64_t slots);

}  // namespace weft::storage
