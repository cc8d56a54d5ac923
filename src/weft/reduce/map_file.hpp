// weft/reduce/map_file.hpp - a file of maps of its own: made empty, filled by all ranks, and shown when it is whole.
//
// A map is a dataset: (nodes) for a quantity of all samples, (beats, nodes) for one per beat; `beats` counts each
// node's beats, those beyond the rows too. The maps are virtual datasets over /rows, made last: a file that was left
// half done has none.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/reduce/map_writer.hpp"
#include "weft/support/communicator.hpp"

namespace weft::reduce {

// The file with room for all rows, closed again, so that every rank can write its nodes (reduce/map_writer.hpp). An
// existing one is replaced. Returns where the maps lie and, last, the counts of beats. Collective; throws agreed
// errors.
std::vector<std::uint64_t> create_map_file(Communicator& comm, const std::string& path, std::span<const MapPlan> maps,
                                           std::uint64_t nodes);

// What every map says of where it comes from.
struct MapOrigin {
  std::string source;  // the file
  std::string field;
  double threshold = 0;
  double fill = 0;  // where a node has no value
};

// Shows the maps: of quantities per beat the first `rows` rows, and the fill value where no node has a beat. For one
// rank, when all have written.
void show_maps(const std::string& path, std::span<const MapPlan> maps, std::uint64_t nodes, std::uint64_t rows,
               const MapOrigin& origin);

}  // namespace weft::reduce
