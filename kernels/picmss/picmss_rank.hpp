// kernels/picmss/picmss_rank.hpp - what a rank of picmss has in memory, and how it brings it to the file.
//
// The values of a node lie together, nodes one behind the other: ghosts before, the rank's own, ghosts behind. Ghosts
// and whatever else is not to be written hold NaN.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/picmss/picmss_file.hpp"
#include "kernels/picmss/picmss_kernel.hpp"
#include "kernels/picmss/picmss_lines.hpp"

namespace weft::kernels::picmss {

class PicmssRank {
 public:
  // The options outlive it.
  PicmssRank(MpiCommunicator& comm, const RunOptions& run, const PicmssOptions& options);

  // Memory, coordinates and bricks.
  void prepare();

  // A strategy each: all steps of a phase. Collective; throw agreed errors.
  void write_elementwise(std::uint64_t phase, Done& done);
  void write_typed(std::uint64_t phase, Done& done);
  void write_series(std::uint64_t phase, Done& done);

 private:
  struct Types;  // of write_typed()

  // The values of the rank's nodes in a step, and over all ranks the least and greatest of what stands in its zone:
  // coordinates only in the first one of a file. Not in the time of the output. Collective.
  Ranges compute(std::uint64_t phase, std::uint64_t step, Done& done);
  void add_ranges(const std::vector<double>& values, std::size_t of_a_node, Ranges& least, Ranges& greatest) const;

  bool is_first() const { return comm_.rank() == 0; }
  // Where a value of node number `node` of those held lies: of the array that a section is written from.
  const double* value(const Section& section, std::uint64_t node) const;
  Stretch items_of(const Section& section) const;  // of the section, the rank's own
  // The rank's own lines among those it holds.
  Stretch held_lines_of_own() const { return {(nodes_.first - held_.first) / grid_.line_nodes(), lines_.count}; }
  void write_values(MpiFile& file, const Section& section) const;                       // one by one
  void write_section(MpiFile& file, const Section& section, const Types& types) const;  // at once
  // Looks whether a closed file is whole; not in the time of the output. Collective.
  void check_file(const std::string& path, Done& done);

  MpiCommunicator& comm_;
  const RunOptions& run_;
  const PicmssOptions& options_;
  LineGrid grid_;
  PicmssLayout layout_;
  Stretch lines_;  // the rank's own
  Stretch nodes_;
  Stretch bricks_;
  Stretch held_;                       // nodes, ghosts included
  std::vector<std::uint8_t> ghost_;    // of each node held
  std::vector<double> coordinates_;    // three of a node
  std::vector<double> values_;         // six of a node
  std::vector<std::int32_t> corners_;  // eight of a brick
};

}  // namespace weft::kernels::picmss
