// weft/reading/field_boxes.hpp - which box of a field's steps a read is: a snapshot, a trace, a block. Pure arithmetic.
//
// A box counts the step first, then the axes of a step. Each is checked: Error(usage) where it leaves the field or the
// committed steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/storage/series_catalog.hpp"
#include "weft/support/error.hpp"
#include "weft/support/shape.hpp"

#pragma GCC visibility push(default)

namespace weft::reading {

class FieldBoxes {
 public:
  // Of a field of `steps` steps, of which `committed` may be read; the field must outlive this.
  FieldBoxes(std::string path, std::string name, const storage::FieldEntry& field, std::uint64_t steps,
             std::uint64_t committed)
      : path_(std::move(path)), name_(std::move(name)), field_(&field), steps_(steps), committed_(committed) {}

  // One step, all nodes.
  Box snapshot(std::uint64_t step) const;
  // One node, all committed steps. `node` is its number: on a grid row-major over its axes; 0 for one number a step.
  Box trace(std::uint64_t node) const;
  // The same by its place on a grid, as {z, y, x}; {node} where there is no grid.
  Box trace(const Shape& place) const;
  // Along the first axis of a step: `nodes` nodes from `first_node`, over `steps` steps from `first_step`.
  Box block(std::uint64_t first_node, std::uint64_t nodes, std::uint64_t first_step, std::uint64_t steps) const;
  // Nodes [first, first + nodes) of those steps, numbered as trace() has it: one box behind the other.
  std::vector<Box> of_nodes(std::uint64_t first, std::uint64_t nodes, std::uint64_t first_step,
                            std::uint64_t steps) const;

  void check(const Box& box) const;

 private:
  Box checked(std::uint64_t first_step, std::uint64_t steps, Box of_step) const;
  Error no_such_node(const std::string& asked) const;

  std::string path_;
  std::string name_;
  const storage::FieldEntry* field_;
  std::uint64_t steps_;
  std::uint64_t committed_;
};

}  // namespace weft::reading

#pragma GCC visibility pop
