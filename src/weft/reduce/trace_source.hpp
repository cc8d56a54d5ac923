// weft/reduce/trace_source.hpp - the traces of a field in a file, block of nodes by block of nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/reading/series_reader.hpp"
#include "weft/reduce/field_choice.hpp"
#include "weft/reduce/trace_block.hpp"
#include "weft/support/communicator.hpp"
#include "weft/support/large_memory.hpp"

namespace weft::reduce {

class TraceSource {
 public:
  // `field` as choose_field() takes it, or the path of a dataset and, where a node has several values, :COMPONENT
  // behind it. Of any file that SeriesReader reads: the committed steps. Collective. Throws Error(usage) where there is
  // no such field or component, Error(data) where the file is not what it should be, or where its times do not rise.
  static TraceSource open(Communicator& comm, const std::string& path, const std::string& field);

  const SeriesReader& reader() const { return reader_; }
  const storage::FieldEntry& field() const { return reader_.field(name_); }
  std::uint64_t nodes() const { return nodes_of(field()); }
  const std::vector<double>& times() const { return times_; }  // one a step, rising
  const std::string& units() const;                            // of the values; "" where not known
  const std::string& time_units() const { return reader_.field("time").units; }
  // Blocks that begin at multiples of this, and have as many nodes, are read fastest: they share no chunk, or no more
  // of it than requests of a good size allow.
  std::uint64_t nodes_together() const { return nodes_together_; }
  // Steps that are best read in one go, where a block has `nodes`.
  std::uint64_t steps_together(std::uint64_t nodes) const;
  // What a block holds for each node.
  std::uint64_t bytes_a_node() const { return row_bytes() * times_.size(); }
  // Memory for all steps of nodes [first, first + count), in which none is yet. It stands until the next call. All
  // components, as they lie side by side and would come along in any case.
  TraceBlock begin(std::uint64_t first, std::uint64_t count);
  // Reads steps [from, from + steps) of the block that was begun. Not collective.
  void read_steps(std::uint64_t from, std::uint64_t steps);

  TraceBlock read(std::uint64_t first, std::uint64_t count) {
    const TraceBlock block = begin(first, count);
    read_steps(0, times_.size());
    return block;
  }

 private:
  TraceSource(SeriesReader reader, const std::string& wanted);
  std::uint64_t row_bytes() const { return choice_.components * size_of(field().type); }

  SeriesReader reader_;
  std::vector<double> times_;
  FieldChoice choice_;
  std::string name_;
  std::uint64_t chunk_steps_ = 1;
  std::uint64_t nodes_together_ = 1;
  std::uint64_t first_ = 0;  // of the block
  std::uint64_t count_ = 0;
  Values<std::byte> bytes_;
};

}  // namespace weft::reduce
