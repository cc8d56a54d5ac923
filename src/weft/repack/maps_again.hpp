// weft/repack/maps_again.hpp - which maps of a Weft series are made anew where its steps are written anew.
#pragma once

#include <string>
#include <vector>

#include "weft/reduce/run_reduction.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/support/communicator.hpp"

namespace weft::repack {

struct MapsAgain {
  std::vector<reduce::RunReductionSpec> made;  // one a field
  std::vector<std::string> left_out;           // maps, each with the reason
};

// From what the maps (/maps/..) say of themselves: their field, threshold and rows. Quantities of a program's own and
// conduction velocities, whose origin is not in the file, are left out. Collective; rank 0 reads.
MapsAgain maps_again(Communicator& comm, const storage::SeriesCatalog& catalog);

}  // namespace weft::repack
