// kernels/ecg/bidomain/bidomain.hpp - the electrical activity of a heart in its torso: the bidomain equations with a
// bath.
//
//   chi (C dV/dt + I_ion) = div sigma_i grad (V + phi_e) - I_i    in the heart
//   div (sigma_i grad V + (sigma_i + sigma_e) grad phi_e) = 0      in the heart
//   div (sigma_b grad phi_e) = 0                                   around it
//   with no intracellular current through the heart's surface, and I_e through the skin
// (Cardone-Noott et al. 2018, eqs. 1 to 4, doi 10.1371/journal.pone.0202410), on linear tetrahedra.
//
// A step of dt: half a step of the cells alone; phi_e from V; V spreads, Crank-Nicolson, with that phi_e; the other
// half of the cells (Strang 1968; potential after potential as Fernandez & Zemzemi 2010, doi
// 10.1016/j.mbs.2010.04.003, show to be stable). Between outputs two halves are one step of the cells. Cells are
// solved at the nodes, each with steps of its own.
//
// phi_e is 0 at the mesh's ground. Everything is collective over `comm` but the views of this rank's values.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "kernels/ecg/bidomain/petsc_system.hpp"
#include "kernels/ecg/heart/heart_mesh.hpp"
#include "kernels/ecg/solve/node_dealing.hpp"
#include "kernels/ecg/solve/parameters.hpp"
#include "kernels/ecg/solve/solve_options.hpp"

namespace weft::kernels::ecg {

struct BidomainOptions {
  double dt = 0.1;          // ms
  bool monodomain = false;  // V alone, as if phi_e followed it everywhere; phi_e stays 0
  Conductivities conductivities{};
  double stimulus = 0;  // pA/pF, for kStimulusDuration from each node's start
  std::optional<PlateStimulus> plates{};
  double tolerance = 1e-6;  // of the equations
};

class Bidomain {
 public:
  // At rest, at time 0. The mesh must stay.
  Bidomain(MPI_Comm comm, const HeartMesh& mesh, const NodeDealing& dealing, const BidomainOptions& options);
  ~Bidomain();

  // Throws Error, agreed: where a system of equations is not solved, and where V leaves what a cell can have (+-300
  // mV).
  void advance(std::uint64_t steps);
  double time() const;  // ms

  std::span<const double> v() const;      // mV, of this rank's heart nodes
  std::span<const double> phi_e() const;  // mV, of all its nodes, those of the heart first
  // The sum over all nodes of the current that leaves each (uA), and of its absolute values.
  struct Currents {
    double sum = 0;
    double absolute = 0;
  };
  Currents currents() const;

  const Convergence& v_convergence() const;
  const Convergence& phi_e_convergence() const;
  std::uint64_t cell_steps() const;  // of this rank's cells

  // Everything that the future depends on, and phi_e, for checkpoints. restore() is given what state() gave.
  struct State {
    double time = 0;
    std::vector<double> v;
    std::vector<double> phi_e;
    std::vector<double> cells;  // kCellValues a heart node
  };
  static constexpr std::size_t kCellValues = sizeof(TenTusscherState) / sizeof(double);
  State state() const;
  void restore(const State& state);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft::kernels::ecg
