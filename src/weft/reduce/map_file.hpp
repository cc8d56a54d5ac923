// weft/reduce/map_file.hpp - a file of maps of its own: made empty, filled by all ranks, and shown when it is whole.
//
// A map is a dataset: (nodes) for a quantity of all samples, (beats, nodes) for one per beat, on a grid (z, y, x) and
// (beats, z, y, x); `beats` counts each node's beats, those beyond the rows too. Where the maps lie is /rows. Each is
// shown by a dataset of chunks that lie there (storage/chunk_room.hpp), made last.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/reduce/map_writer.hpp"
#include "weft/storage/byte_store.hpp"
#include "weft/storage/new_file.hpp"
#include "weft/support/communicator.hpp"

namespace weft::reduce {

// What every map says of where it comes from.
struct MapOrigin {
  std::string source;  // the file
  std::string field;
  double threshold = 0;
  double fill = 0;  // where a node has no value
};

// All calls are collective but open(), and throw agreed errors.
class MapFile {
 public:
  // An existing file stays as it is until finish(). Throws Error(usage) where it must not be replaced.
  MapFile(Communicator& comm, const std::string& path, storage::IfExists if_exists, bool take_over);

  // The file with room for all rows, closed again, so that every rank can write its nodes (reduce/map_writer.hpp).
  // Returns where the maps lie and, last, the counts of beats.
  std::vector<std::uint64_t> create(std::span<const MapPlan> maps, std::uint64_t nodes);

  // The file for this rank to write its nodes into; for a group of several clients past their caches
  // (storage/shared_file.hpp).
  std::unique_ptr<storage::ByteStore> open() const;

  // `places` is {nodes}, or the grid's extents. Shows the maps, when all ranks have written: of quantities per beat the
  // first `rows` rows, and the fill value where no node has a beat. The file then gets its name.
  void finish(std::span<const MapPlan> maps, const Shape& places, std::uint64_t rows, const MapOrigin& origin);

 private:
  Communicator& comm_;
  std::string path_;
  std::string part_;  // where the file is until it is finished (storage/new_file.hpp)
  storage::OpenMode mode_;
  std::optional<storage::NewFile> file_;  // rank 0's
};

}  // namespace weft::reduce
