// weft/storage/segment.hpp - a stretch of a series in an open file: a dataset for every field, and room for its chunks.
//
// A file of format 2 has one, which gets more room; those of format 1 get another one behind it.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "weft/storage/chunk_room.hpp"
#include "weft/storage/series_file.hpp"

namespace weft::storage {

// Of steps that are not written yet. Viewers search the times for the step they want (VTK by halving): with zeros
// there, they find another one.
inline constexpr double kTimeToCome = std::numeric_limits<double>::infinity();

// Creates /weft/segments/<number> with a dataset for every field. In the first one they are still without chunks.
void create_segment(hid_t file, std::size_t number, std::uint64_t first_step, std::uint64_t steps,
                    const std::vector<FieldPlan>& fields);

// Gives the segment's datasets, which have room for `had` steps, room for as many as it has now.
void give_room(hid_t file, SegmentEntry& segment, const std::vector<FieldEntry>& fields, std::uint64_t had);

// Whether its chunks have room between them.
bool has_gaps(const SegmentEntry& segment);

// What the datasets' indexes become, with times to come in new chunks, which lie behind `old_end`.
std::vector<IndexPlan> plans_of_indexes(hid_t file, const SeriesCatalog& catalog, std::uint64_t shown,
                                        std::uint64_t old_end, const SeriesCatalog* before);

}  // namespace weft::storage
