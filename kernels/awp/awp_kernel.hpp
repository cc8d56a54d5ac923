// kernels/awp/awp_kernel.hpp - the output of a seismic code, AWP-ODC, without its computing ("application 1" of
// docs/kernels/awp.md).
//
// A rank holds a block of the grid for each variable, in single precision, and gathers some time steps one behind the
// other before it writes: a set. A set is one file a variable, every step of it the whole I/O grid, x fastest. Each
// file is one collective write; strategies differ in how they tell MPI-IO where a rank's points belong.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/awp/awp_grid.hpp"
#include "kernels/io/kernel_plan.hpp"
#include "kernels/io/kernel_run.hpp"

namespace weft::kernels::awp {

enum class AwpStrategy {
  hindexed,       // every value of all steps of a set is mapped alone: the original
  hindexed_rows,  // one block for each row along x of one step, whose extent is that of the step
  subarray,       // the block of one step, whose extent is that of the step
  series,         // Weft's writer: one HDF5 file a set
};

std::string_view name_of(AwpStrategy strategy);
// Throws Error(usage).
AwpStrategy parse_awp_strategy(std::string_view text);

struct AwpOptions {
  AwpStrategy strategy = AwpStrategy::subarray;
  Extent grid{202, 125, 106};
  std::uint64_t skip = 2;
  std::optional<Extent> processes{};  // nothing: even_processes()
  std::uint64_t steps_per_file = 20;
  std::uint64_t variables = 3;
};

// How many sets, which are phases, make so many steps. Throws Error(usage) where they are no whole sets, or `phases`
// says another number.
std::uint64_t awp_sets(std::uint64_t steps, std::uint64_t steps_per_file, std::optional<std::uint64_t> phases);

// Where the ranks' blocks are. Throws Error(usage) where the ranks do not fit.
ProcessGrid awp_processes(const AwpOptions& options, std::uint64_t ranks);

// The file of a variable in a set, and for `series` that of the set; `out` is the folder.
std::string awp_file(const std::string& out, std::uint64_t variable, std::uint64_t set);
std::string awp_series_file(const std::string& out, std::uint64_t set);

// Pure: what so many ranks would do. Throws Error(usage) for options that cannot be.
KernelPlan plan_awp(const AwpOptions& options, const RunOptions& run, std::uint64_t ranks);

// Collective. A phase is a set.
nlohmann::ordered_json run_awp(MpiCommunicator& comm, const RunOptions& run, const AwpOptions& options);

}  // namespace weft::kernels::awp
