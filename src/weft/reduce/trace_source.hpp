// weft/reduce/trace_source.hpp - the traces of a file, block of nodes by block of nodes, whoever wrote it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/reduce/trace_block.hpp"
#include "weft/support/communicator.hpp"

namespace weft::reduce {

class TraceSource {
 public:
  virtual ~TraceSource() = default;
  virtual std::uint64_t nodes() const = 0;
  virtual const std::vector<double>& times() const = 0;  // one a step, rising
  virtual const std::string& units() const = 0;          // of the values; "" where not known
  virtual const std::string& time_units() const = 0;
  // Blocks that begin at multiples of this, and have as many nodes, are read fastest: they share no chunk, or no more
  // of it than requests of a good size allow.
  virtual std::uint64_t nodes_together() const = 0;
  // Steps that are best read in one go, where a block has `nodes`.
  virtual std::uint64_t steps_together(std::uint64_t nodes) const = 0;
  // What a block holds for each node.
  virtual std::uint64_t bytes_a_node() const = 0;
  // Memory for all steps of nodes [first, first + count), in which none is yet. It stands until the next call.
  virtual TraceBlock begin(std::uint64_t first, std::uint64_t count) = 0;
  // Reads steps [from, from + steps) of the block that was begun. Not collective.
  virtual void read_steps(std::uint64_t from, std::uint64_t steps) = 0;

  TraceBlock read(std::uint64_t first, std::uint64_t count) {
    const TraceBlock block = begin(first, count);
    read_steps(0, times().size());
    return block;
  }
};

// `field` is NAME, or NAME:COMPONENT (a number, or the name of one) where a node has several values. Of a Weft file the
// committed steps; of any other HDF5 file the dataset NAME (default as storage/recording.hpp finds it, COMPONENT alone
// being enough then). Collective. Throws Error(usage) where there is no such field or component, Error(data) where
// the file is not what it should be, or where its times do not rise.
std::unique_ptr<TraceSource> open_traces(Communicator& comm, const std::string& path, const std::string& field);

}  // namespace weft::reduce
