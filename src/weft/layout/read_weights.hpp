// weft/layout/read_weights.hpp - how often each kind of read is expected, as numbers.
//
// The same as the text of `weft layout --read` (layout/reads.hpp), for programs. Example:
//   field.layout.reads = weft::layout::ReadWeights{.snapshot = 1, .trace = 4};
#pragma once

#include <string>

#pragma GCC visibility push(default)

namespace weft::layout {

// How much each read counts beside the others; 0: it does not matter.
struct ReadWeights {
  double snapshot = 0;       // one step, all nodes
  double trace = 0;          // one node, all steps
  double block = 0;          // a rank's share of the nodes, all steps
  double plane = 0;          // one step, one index along the last axis of a grid; or along `plane_axis`
  std::string plane_axis{};  // "z", "y" or "x"

  // "snapshot=1,trace=4". Throws Error(usage) where no weight is above 0, or one is negative or not finite.
  std::string text() const;
  operator std::string() const { return text(); }  // NOLINT(google-explicit-constructor): LayoutSpec::reads takes it
};

}  // namespace weft::layout

#pragma GCC visibility pop
