// weft/storage/chunk_room.hpp - room for the chunks of a field's dataset, and the index that shows them.
//
// HDF5 makes the dataset, without any chunk. The room for its chunks, for many steps at once, and the room for its
// index (storage/chunk_tree.hpp) are claimed behind the end of the file; when HDF5 has closed it, the index is written,
// and the dataset's header is led to it and told how many steps there are. So a series that grows, or ends before its
// room does, is a plain dataset at every time, and where a chunk lies is had by arithmetic. Not collective.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/chunk_tree.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/object_plan.hpp"
#include "weft/storage/series_catalog.hpp"

namespace weft::storage {

// What is to be made of a dataset's index.
struct IndexPlan {
  std::uint64_t header = 0;  // of the dataset
  ArrayEntry array;          // its extents and addresses with room
  ChunkRoom room;
  std::uint64_t shown = 0;       // steps (or rows) that the index leads to
  std::optional<double> fill{};  // what doubles are at first, of the stretches that lie from `fill_from` on
  std::uint64_t fill_from = 0;
  std::optional<std::uint64_t>
      extent{};  // of the dataset's first axis, where it is not `shown`: the rest reads as fill
  // With filters: they, and the index there is, of so many steps of room (0: none), whose entries the new one takes
  // over.
  std::string filter{};
  std::uint64_t before = 0;
  std::uint64_t before_index = 0;
};
// Creates an empty dataset of these steps, and of any number of them, whose index is to be written.
Handle create_roomy(hid_t file, const std::string& path, DataType type, const Shape& shape, const Shape& chunk,
                    const std::string& filter);

// The index of an array with this room.
ChunkTree tree_of(const ArrayEntry& array);

// From one chunk to the next, in bytes, with an alignment (0: none). Those of a field that is one chunk a step are all
// one rank's, and lie one behind the other.
std::uint64_t pitch_of(const ArrayEntry& array, std::uint64_t align);

// Gives `room`, which has room for `had` chunks, what it lacks for all of an array of this shape (as it will be), in an
// open file: a stretch of chunks and a new index. With `align` (0: no wish) the stretch begins at a multiple of it, and
// where a step has several chunks, which different ranks may write, so does each of them. With a filter, whose chunks
// find their places when they are written: a new index, and at first the chunk of nothing that it leads to.
void claim_room(hid_t file, const ArrayEntry& array, const std::string& filter, std::uint64_t align, ChunkRoom& room,
                std::uint64_t had);

// Creates a dataset that shows the first rows of an array that lies in one piece in the same file, and behind them a
// row of its fill value: what `plan`, of one mapping at most, says as a virtual dataset. Most readers know no virtual
// ones. What is to be made of its index; nothing where it shows no row.
std::optional<IndexPlan> create_rows(hid_t file, const VirtualObject& plan);
// How many rows of `array` such an open dataset shows.
std::uint64_t rows_shown(hid_t dataset, const ArrayEntry& array);

// Where the chunks of a field with this room lie; unknown where it has filters.
ChunkAddresses addresses_in(const ChunkRoom& room);

// The rooms of a segment are attributes of its group: how many steps, the alignment, and of each field the index and
// the stretches.
void write_rooms(hid_t file, const std::string& group, const SegmentEntry& segment,
                 const std::vector<FieldEntry>& fields);
// Fills in `steps`, `rooms`, and of each field the extents with room and the addresses, as the attributes have them.
// Leaves the segment as it is, and says false, where it has none.
bool read_rooms(hid_t file, const std::string& group, const std::vector<FieldEntry>& fields, SegmentEntry& segment);

// Of all fields of the (one) segment of an open file; `before` is the catalog with the indexes that there are, if any.
std::vector<IndexPlan> index_plans(hid_t file, const SeriesCatalog& catalog, std::uint64_t shown,
                                   const SeriesCatalog* before);
// Where the chunks of an array with filters lie, by its index: ranges of bytes, those side by side as one.
std::vector<std::pair<std::uint64_t, std::uint64_t>> stored_ranges(ByteStore& store, const ArrayEntry& array,
                                                                   const ChunkRoom& room);
// Where the chunks lie that stand for those that are not written yet; none where no field has filters.
std::vector<std::uint64_t> blank_chunks(hid_t file);

// Compares the index of every field with its room, as both are on the disk.
struct FoundIndexes {
  bool of_another_tool = false;  // which wrote a dataset anew: what it shows is then all there is, and there is no room
  std::vector<IndexPlan> wrong;  // those that do not lead to their chunks, as they were: damage
};
FoundIndexes look_at_indexes(hid_t file, const SegmentEntry& segment);

// About what write_index() writes.
std::uint64_t bytes_of_index(const IndexPlan& plan);
// Throws Error(data) where the dataset is none that has room.
void write_index(ByteStore& store, const IndexPlan& plan);

}  // namespace weft::storage
