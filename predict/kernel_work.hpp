// predict/kernel_work.hpp - the kernels of `weft run`, as work: the same options, and what their ranks then do.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/awp/awp_kernel.hpp"
#include "kernels/blast/blast_plan.hpp"
#include "kernels/ecg/ecg_kernel.hpp"
#include "kernels/hard/hard_kernel.hpp"
#include "kernels/io/kernel_plan.hpp"
#include "kernels/mhm/mhm_kernel.hpp"
#include "kernels/picmss/picmss_kernel.hpp"
#include "predict/surroundings.hpp"
#include "predict/workload.hpp"

namespace weft::predict {

// The writes that a kernel calls.
inline Requests requests_of(const kernels::KernelPlan& plan) {
  return {static_cast<double>(plan.app.writes()), static_cast<double>(plan.app.bytes())};
}

// All throw Error(usage) as the kernels' plans do.
Workload work_of(const kernels::awp::AwpOptions& options, const kernels::RunOptions& run, const Surroundings& around);
Workload work_of(const kernels::blast::BlastOptions& options, const kernels::RunOptions& run,
                 const Surroundings& around);
Workload work_of(const kernels::ecg::EcgOptions& options, const Surroundings& around);
// Seconds of one snapshot, one trace, .., as options.layout.access has it, and of all that options.layout.reads
// expects.
std::pair<std::vector<std::pair<std::string, double>>, double> reads_of(const kernels::ecg::EcgOptions& options,
                                                                        const Surroundings& around);
Workload work_of(const kernels::hard::HardOptions& options, const kernels::RunOptions& run, const Surroundings& around);
Workload work_of(const kernels::mhm::MhmOptions& options, const kernels::RunOptions& run, const Surroundings& around);
Workload work_of(const kernels::picmss::PicmssOptions& options, const kernels::RunOptions& run,
                 const Surroundings& around);

}  // namespace weft::predict
