// weft/refs/chunk_finder.hpp - where the chunks of one dataset lie, and whether zarr's readers can undo their filters.
//
// Not collective.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <string>

#include "weft/reading/series_reader.hpp"
#include "weft/refs/references.hpp"
#include "weft/storage/byte_store.hpp"
#include "weft/survey/survey.hpp"

namespace weft::refs {

class ChunkFinder {
 public:
  // All outlive this. `file` is the path, for error lines; `alive` is called now and then.
  ChunkFinder(std::string file, storage::ByteStore& store, const std::function<void()>& alive)
      : file_(std::move(file)), store_(store), alive_(alive) {}

  // Of an open chunked dataset of these facts: array.chunks. Throws Error(data) where one lies behind the end of the
  // file, or has a skipped filter, or the filters have no codec.
  void find(hid_t dataset, const survey::DatasetFacts& facts, ArrayReferences& array) const;

  // Of a field of a series, by its number in the catalog: the chunks of the committed steps, which `array` is of.
  // `hdf5`: the open file.
  void find_field(hid_t hdf5, const SeriesReader& series, std::size_t field, ArrayReferences& array) const;

  // Throws Error(data) unless the bytes lie in the file.
  void check_inside(const std::string& path, std::uint64_t at, std::uint64_t bytes) const;

 private:
  using Add = std::function<void(std::uint64_t number, std::uint64_t at, std::uint64_t bytes, std::uint32_t skipped)>;

  void check_filters(hid_t dataset, const ArrayReferences& array) const;
  void each_chunk(hid_t dataset, const survey::DatasetFacts& facts, const Add& add) const;
  Error skipped_filters(const std::string& path) const;

  std::string file_;
  storage::ByteStore& store_;
  const std::function<void()>& alive_;
};

}  // namespace weft::refs
