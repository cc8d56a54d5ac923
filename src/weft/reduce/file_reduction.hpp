// weft/reduce/file_reduction.hpp - quantities over time of every node of a file, as maps in a small HDF5 file.
//
// Nodes are dealt to the ranks in blocks that share no chunk, and a rank goes through its nodes in blocks that fit its
// budget, so every byte of the field is read once. What the file of maps looks like: reduce/map_file.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "weft/reduce/quantity.hpp"
#include "weft/storage/new_file.hpp"
#include "weft/support/communicator.hpp"

#pragma GCC visibility push(default)

namespace weft::reduce {

struct Reduction {
  std::string path;
  std::string field;  // as TraceSource::open() takes it
  std::vector<Quantity> quantities;
  Settings settings;
  double fill = std::numeric_limits<double>::quiet_NaN();  // where a node has no such value
  std::uint64_t budget_bytes = 256ULL << 20;               // memory a rank may use for blocks
  std::string mesh{};  // a .vtu file: what conduction velocities are measured along where the file has no mesh
  std::string out;     // an existing file is replaced when the new one is whole
  storage::IfExists if_exists = storage::IfExists::replace;
  bool take_over = false;  // of `out`, from a writer of which nobody knows whether it lives
  std::function<void(std::uint64_t done, std::uint64_t of)> progress{};  // nodes of this rank
};

// What a map holds, over all nodes that have a value there.
struct MapSummary {
  std::string name;
  std::string units;
  std::uint64_t row = 0;     // the beat, from 0
  std::uint64_t values = 0;  // nodes that have one
  double min = 0;
  double max = 0;
};

struct ReductionReport {
  std::string field;  // as it was asked for, or its name where it was not
  std::uint64_t nodes = 0;
  std::uint64_t steps = 0;
  std::uint64_t most_beats = 0;   // of a node
  std::uint64_t beyond_rows = 0;  // nodes that have more beats than rows
  std::vector<MapSummary> maps;   // on rank 0; one a row that has values
  double seconds = 0;
};

// Collective. Throws agreed errors: Error(usage) where the field or a setting makes no sense, or the budget does not
// hold one node; Error(system) and Error(data) as files go.
ReductionReport reduce_file(Communicator& comm, const Reduction& reduction);

}  // namespace weft::reduce

#pragma GCC visibility pop
