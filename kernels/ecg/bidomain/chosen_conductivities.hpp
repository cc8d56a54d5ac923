// kernels/ecg/bidomain/chosen_conductivities.hpp - the heart's conductivities for a mesh: as measured, or such that
// waves run as fast on it as in muscle (solve/cable.hpp).
#pragma once

#include <mpi.h>

#include <nlohmann/json.hpp>

#include "kernels/ecg/solve/parameters.hpp"
#include "kernels/ecg/solve/solve_options.hpp"

namespace weft::kernels::ecg {

struct ChosenConductivities {
  Conductivities conductivities;
  nlohmann::json report;  // tuned; along and across: factor, velocity_wanted_m_per_s, velocity_of_a_cable_m_per_s
};

// Collective, the same on all ranks: rank 0 tunes along the fibres, and rank 1, where there is one, across.
ChosenConductivities choose_conductivities(MPI_Comm comm, double spacing, const SolveOptions& options);

}  // namespace weft::kernels::ecg
