// kernels/ecg/ecg_plan.hpp - what a run will write, as far as it is known before it runs.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ecg/ecg_kernel.hpp"
#include "kernels/ecg/step_source.hpp"

namespace weft::kernels::ecg {

struct PlannedSteps {
  std::vector<SourceField> fields;  // of all ranks together
  std::uint64_t nodes;
  std::uint64_t steps;
};

// Of a synthetic source, or of a file that is replayed: that is opened. Throws Error(usage) for a run that appends, and
// for source solve, whose nodes are not known before its mesh is.
PlannedSteps planned_steps(const EcgOptions& options);

}  // namespace weft::kernels::ecg
