// kernels/ecg/plain_reduction.hpp - maps of quantities over time as the paper's code makes them: node after node.
//
// Every rank has its even share of the nodes and reads all times of one node after the other, one H5Dread each; where
// the chunks are larger than HDF5's cache that is one small read for every step. The arithmetic and the file of maps
// are those of reduce/file_reduction.hpp, and so is every bit of the maps: only how values are read differs. Each trace
// is read once for all quantities, which a code that makes one map after the other does not.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/ecg/plain_file.hpp"
#include "weft/reading/series_reader.hpp"
#include "weft/reduce/quantity.hpp"
#include "weft/support/communicator.hpp"

namespace weft::kernels::ecg {

struct PlainReduction {
  std::string field;                         // as reduce/field_choice.hpp takes it: V, or Data:0
  std::vector<reduce::Quantity> quantities;  // none that needs an origin
  reduce::Settings settings;
  std::string out;                                                       // an existing file is replaced
  std::function<void(std::uint64_t done, std::uint64_t of)> progress{};  // nodes of this rank
};

struct PlainReductionReport {
  std::uint64_t nodes = 0;
  std::uint64_t most_beats = 0;   // of a node
  std::uint64_t beyond_rows = 0;  // nodes that have more beats than rows
};

// `reader` says what there is in the file, `file` reads it. Collective; throws agreed errors.
PlainReductionReport reduce_plainly(Communicator& comm, const PlainReduction& reduction, const SeriesReader& reader,
                                    PlainFile& file);

}  // namespace weft::kernels::ecg
