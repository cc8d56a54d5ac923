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
  // Blocks that begin at multiples of this, and have as many nodes, share no chunk.
  virtual std::uint64_t nodes_a_chunk() const = 0;
  // What read() holds for each node.
  virtual std::uint64_t bytes_a_node() const = 0;
  // Nodes [first, first + count) of all steps. The block stands until the next call. Not collective.
  virtual TraceBlock read(std::uint64_t first, std::uint64_t count) = 0;
};

// `field` is NAME, or NAME:COMPONENT (a number, or the name of one) where a node has several values. Of a Weft file the
// committed steps; of any other HDF5 file the dataset NAME (default as storage/recording.hpp finds it, COMPONENT alone
// being enough then). Collective. Throws Error(usage) where there is no such field or component, Error(data) where
// the file is not what it should be, or where its times do not rise.
std::unique_ptr<TraceSource> open_traces(Communicator& comm, const std::string& path, const std::string& field);

}  // namespace weft::reduce
