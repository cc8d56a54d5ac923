// kernels/ecg/checkpoint.hpp - a source's whole state, kept through Weft itself so that a run can go on from there.
//
// A checkpoint is a Weft file of one step, beside the run's own: its fields are the state's, its time is the number of
// the step the state belongs to. It is written under another name and takes its own when it is whole, so a kill at any
// moment leaves the one before.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/ecg/step_source.hpp"
#include "weft/series/series_spec.hpp"

namespace weft::kernels::ecg {

// "heart.h5" -> "heart.h5.checkpoint".
std::string checkpoint_path(const std::string& series);

// The state after `step`, which must be in the series already. Collective; throws agreed errors.
void save_checkpoint(MPI_Comm comm, const std::string& path, std::uint64_t step, const StepSource& source, Sync sync);

// Gives the source the state that was kept, on any number of ranks, and returns its step; nothing where there is no
// checkpoint. Collective; throws agreed errors, among them Error(data) for a checkpoint of another simulation.
std::optional<std::uint64_t> load_checkpoint(MPI_Comm comm, const std::string& path, StepSource& source);

}  // namespace weft::kernels::ecg
