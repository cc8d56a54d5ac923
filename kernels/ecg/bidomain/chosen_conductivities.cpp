#include "kernels/ecg/bidomain/chosen_conductivities.hpp"

#include <algorithm>
#include <array>

#include "kernels/ecg/solve/cable.hpp"
#include "weft/support/mpi_communicator.hpp"

namespace weft::kernels::ecg {

namespace {

Conductivity scaled(const Conductivity& sigma, double along, double across) {
  return {sigma.along * along, sigma.across * across};
}

}  // namespace

ChosenConductivities choose_conductivities(MPI_Comm comm, double spacing, const SolveOptions& options) {
  ChosenConductivities chosen;
  chosen.conductivities.intracellular =
      scaled(chosen.conductivities.intracellular, options.conductivity_factor, options.conductivity_factor);
  chosen.conductivities.extracellular =
      scaled(chosen.conductivities.extracellular, options.conductivity_factor, options.conductivity_factor);
  if (!options.tune) {
    chosen.report = {{"tuned", false}};
    return chosen;
  }
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::array<Tuned, 2> tuned{};
  if (rank == 0) tuned[0] = tuned_conductivity(options.velocity.along, spacing, options.dt);
  if (rank == std::min(1, ranks - 1)) {
    tuned[1] = tuned_conductivity(options.velocity.across, spacing, options.dt);
  }
  check_mpi(MPI_Bcast(tuned.data(), sizeof(Tuned), MPI_BYTE, 0, comm), "MPI_Bcast");
  check_mpi(MPI_Bcast(&tuned[1], sizeof(Tuned), MPI_BYTE, std::min(1, ranks - 1), comm), "MPI_Bcast");
  const Conductivity measured = Conductivities{}.monodomain();
  const double along = tuned[0].conductivity / measured.along * options.conductivity_factor;
  const double across = tuned[1].conductivity / measured.across * options.conductivity_factor;
  chosen.conductivities.intracellular = scaled(Conductivities{}.intracellular, along, across);
  chosen.conductivities.extracellular = scaled(Conductivities{}.extracellular, along, across);
  const auto direction = [](double factor, const Tuned& one, double wanted) {
    return nlohmann::json{
        {"factor", factor}, {"velocity_wanted_m_per_s", wanted}, {"velocity_of_a_cable_m_per_s", one.velocity}};
  };
  chosen.report = {{"tuned", true},
                   {"along", direction(along, tuned[0], options.velocity.along)},
                   {"across", direction(across, tuned[1], options.velocity.across)}};
  return chosen;
}

}  // namespace weft::kernels::ecg
