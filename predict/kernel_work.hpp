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
#include "predict/rates.hpp"
#include "predict/series_work.hpp"
#include "predict/workload.hpp"
#include "weft/support/shape.hpp"

namespace weft::predict {

// What the work of a kernel depends on besides its options.
struct Surroundings {
  std::uint64_t ranks = 1;
  std::uint64_t ranks_per_node = 0;  // 0: one node has all of them
  Rates rates{};
  std::uint64_t most_request_bytes = 8ULL << 20;  // of a series (predict/series_work.hpp)
  bool page_cache = false;                        // what is written goes to one of this machine
  std::uint64_t direct_from_bytes = UINT64_MAX;   // longer series are written past the page cache
  std::uint64_t stdio_bytes = 4096;               // that printf gathers for a write
  std::uint64_t cores = 0;                        // of a node; 0: as many as ranks
  // One that Weft makes for bytes that lie together (storage/posix_store).
  std::uint64_t most_bytes_of_a_call() const { return page_cache ? most_request_bytes : UINT64_MAX; }
  std::uint64_t nodes() const { return ranks_per_node == 0 ? 1 : ceil_div(ranks, ranks_per_node); }
};

// A series of these ranks on this store, which has no fields yet.
SeriesShape shape_on(const Surroundings& around);

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
