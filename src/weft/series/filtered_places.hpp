// weft/series/filtered_places.hpp - where the filtered chunks of a window go: behind those of the window before, one
// rank after the other, as nobody knows before how long they are.
//
// HDF5 reads no chunk behind the end that the file's superblock says. So that end is moved ahead of the data, seldom,
// as whoever opens the file in that moment may have to try again; end_file() brings it back.
#pragma once

#include <cstdint>

#include "weft/storage/series_catalog.hpp"
#include "weft/support/communicator.hpp"

namespace weft::series {

class FilteredPlaces {
 public:
  // The references outlive this. `most_bytes`: of a window, on all ranks, before filters.
  FilteredPlaces(Communicator& comm, const storage::SeriesCatalog& catalog, std::uint64_t most_bytes)
      : comm_(comm), catalog_(catalog), most_bytes_(most_bytes) {}

  // The place of this rank's next `mine` bytes. Collective; nothing filtered is being written.
  std::uint64_t next(std::uint64_t mine);
  // The file ends with its last chunk. Collective; all that has a place is written.
  void end_file();

 private:
  Communicator& comm_;
  const storage::SeriesCatalog& catalog_;
  std::uint64_t most_bytes_;
  std::uint64_t end_of_data_ = 0;
  std::uint64_t end_ahead_ = 0;  // where the file ends for HDF5; 0: with its data
};

}  // namespace weft::series
