// kernels/mhm/mhm_plan.hpp - what an output phase of mhm will ask of its files, for any number of ranks. Pure.
#pragma once

#include "kernels/mhm/mhm_options.hpp"

namespace weft::kernels::mhm {

// Throws Error(usage).
KernelPlan plan_mhm(const MhmOptions& options, const RunOptions& run, std::uint64_t ranks);

}  // namespace weft::kernels::mhm
