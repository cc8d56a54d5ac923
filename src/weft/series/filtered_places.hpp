// weft/series/filtered_places.hpp - where the filtered chunks of a window go: behind those of the window before, one
// rank after the other, as nobody knows before how long they are.
//
// HDF5 reads no chunk behind the end that the file's superblock says. So that end is moved ahead of the data, seldom,
// as whoever opens the file in that moment may have to try again; end_file() brings it back. The system lets a file's
// end be moved when what is being written to it has been written, which may take as long as a window. So it is moved
// beside the computation, a window or two before it is needed.
#pragma once

#include <cstdint>
#include <future>

#include "weft/storage/series_catalog.hpp"
#include "weft/support/communicator.hpp"

namespace weft::series {

class FilteredPlaces {
 public:
  // The references outlive this. `most_bytes`: of a window, on all ranks, before filters. `durably`: a power cut leaves
  // what says where the data end.
  FilteredPlaces(Communicator& comm, const storage::SeriesCatalog& catalog, std::uint64_t most_bytes, bool durably)
      : comm_(comm), catalog_(catalog), most_bytes_(most_bytes), durably_(durably) {}

  // The place of this rank's next `mine` bytes. Collective; the window before is written.
  std::uint64_t next(std::uint64_t mine);
  // The file ends with its last chunk. Collective; all that has a place is written.
  void end_file();

 private:
  void begin_move();
  void end_move();

  Communicator& comm_;
  const storage::SeriesCatalog& catalog_;
  std::uint64_t most_bytes_;
  bool durably_;
  std::uint64_t first_of_data_ = 0;
  std::uint64_t end_of_data_ = 0;
  std::uint64_t end_ahead_ = 0;    // where the file ends for HDF5; 0: with its data
  std::uint64_t moves_to_ = 0;     // where it is being moved to; 0: it stays
  std::future<void> being_moved_;  // by rank 0
};

}  // namespace weft::series
