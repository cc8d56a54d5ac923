#include "kernels/ecg/bidomain/bidomain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "kernels/ecg/solve/assembly.hpp"
#include "kernels/ecg/solve/plates.hpp"
#include "weft/support/error.hpp"
#include "weft/support/mpi_communicator.hpp"

namespace weft::kernels::ecg {

namespace {

// Incomplete factors are what pays for a system near the mass matrix. For Laplace's it is algebraic multigrid: with one
// Chebyshev step on each level, a fourth of the time of BoomerAMG at its defaults on 20,000 nodes, and half of that of
// incomplete factors.
constexpr const char* kSpreadingPreconditioner = "-v_pc_type bjacobi";
constexpr const char* kPotentialPreconditioner =
    "-phi_e_pc_type gamg -phi_e_pc_gamg_threshold 0.01 -phi_e_mg_levels_ksp_max_it 1 -phi_e_mg_levels_pc_type jacobi";
constexpr double kFloor = 1e-10;  // uA, of a residual's norm: below any potential worth having

double sum_over(MPI_Comm comm, double value) {
  double sum = 0;
  check_mpi(MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm), "MPI_Allreduce");
  return sum;
}

}  // namespace

class Bidomain::Impl {
 public:
  Impl(MPI_Comm comm, const HeartMesh& mesh, const NodeDealing& dealing, const BidomainOptions& options)
      : comm_(comm),
        dealing_(dealing),
        options_(options),
        stiffness_(comm, heart_stiffness(mesh, dealing, in_membrane())),
        spreading_(comm, spreading_matrix(mesh, dealing, in_membrane(), options.dt, 0.5)),
        spread_(spreading_, "v", kSpreadingPreconditioner, options.tolerance, kFloor),
        v_(comm, dealing.local_heart()),
        sum_(comm, dealing.local_heart()),
        current_(comm, dealing.local_heart()),
        change_(comm, dealing.local_heart()),
        phi_e_(comm, dealing.local()),
        load_(comm, dealing.local()) {
    if (!options.monodomain) {
      const Conductivity& in = options.conductivities.intracellular;
      const Conductivity& out = options.conductivities.extracellular;
      whole_ = std::make_unique<PetscMatrix>(
          comm, whole_stiffness(mesh, dealing, {in.along + out.along, in.across + out.across}));
      whole_->set_constant_kernel();
      potential_ = std::make_unique<PetscSolver>(*whole_, "phi_e", kPotentialPreconditioner, options.tolerance, kFloor);
    }
    for (const std::int32_t node : dealing.heart()) layers_.push_back(mesh.layers[static_cast<std::size_t>(node)]);
    states_.assign(layers_.size(), TenTusscher::initial_state());
    std::fill(v_.values().begin(), v_.values().end(), TenTusscher::kInitialPotential);
    starts_.assign(layers_.size(), -1);
    for (const Stimulus& stimulus : mesh.stimuli) {
      const std::int32_t at = dealing.local_of(stimulus.node);
      if (at >= 0) starts_[static_cast<std::size_t>(at)] = stimulus.start;
    }
    ground_ = dealing.local_of(mesh.ground);
    if (options.plates) {
      const std::vector<double> load = plate_load(mesh);
      for (const auto* nodes : {&dealing.heart(), &dealing.rest()}) {
        for (const std::int32_t node : *nodes) plates_.push_back(load[static_cast<std::size_t>(node)]);
      }
    }
  }

  void advance(std::uint64_t steps) {
    if (steps == 0) return;
    advance_cells(half_steps_ + 1);
    for (std::uint64_t step = 0; step < steps; ++step) {
      solve_potential();
      spread();
      advance_cells(half_steps_ + (step + 1 < steps ? 2 : 1));
    }
    solve_potential();
    check_cells();
  }

  // That the cells have reached.
  double time() const { return static_cast<double>(half_steps_) * options_.dt / 2; }

  // Cells go ahead of everything else by half a step, until the last half. Time is counted, not added up.
  void advance_cells(std::uint64_t until_half_step) {
    const std::span<double> v = v_.values();
    const double begin = time();
    half_steps_ = until_half_step;
    const double end = time();
    const double duration = end - begin;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      double stimulus = 0;
      if (starts_[i] >= 0) {
        const double on = std::min(end, starts_[i] + kStimulusDuration) - std::max(begin, starts_[i]);
        if (on > 0) stimulus = options_.stimulus * on / duration;
      }
      v[i] = cells_[static_cast<std::size_t>(layers_[i])].advance(v[i], states_[i], duration, stimulus);
    }
    cell_steps_ += states_.size();
  }

  // K phi_e = -K_i V + what the plates bring.
  void solve_potential() {
    if (options_.monodomain) return;
    stiffness_.multiply(v_, current_);
    const std::span<double> load = load_.values();
    const double now = time();
    double plates = 0;
    if (options_.plates) {
      const double since = now - options_.plates->start;
      const double rounding = 1e-6 * options_.dt;
      if (since > -rounding && since < options_.plates->duration - rounding) plates = options_.plates->current;
    }
    for (std::size_t i = 0; i < load.size(); ++i) {
      load[i] = (i < states_.size() ? -current_.values()[i] : 0) + (plates_.empty() ? 0 : plates * plates_[i]);
    }
    // Begin where the last two solutions lead.
    const std::span<double> phi_e = phi_e_.values();
    const double ahead = now - solved_at_;
    const double behind = solved_at_ - solved_before_at_;
    const std::vector<double> last(phi_e.begin(), phi_e.end());
    if (behind > 0 && before_.size() == phi_e.size()) {
      for (std::size_t i = 0; i < phi_e.size(); ++i) phi_e[i] += ahead / behind * (last[i] - before_[i]);
    }
    try {
      potential_->solve(load_, phi_e_);
    } catch (const Error&) {
      check_cells();  // it may be their fault
      throw;
    }
    const double ground = sum_over(comm_, ground_ >= 0 ? phi_e[static_cast<std::size_t>(ground_)] : 0);
    for (double& value : phi_e) value -= ground;
    if (ahead > 0) {
      before_ = last;
      solved_before_at_ = solved_at_;
      solved_at_ = now;
    }
  }

  void spread() {
    for (std::size_t i = 0; i < states_.size(); ++i) sum_.values()[i] = v_.values()[i] + phi_e_.values()[i];
    stiffness_.multiply(sum_, current_);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      current_.values()[i] = -current_.values()[i];
      change_.values()[i] = 0;
    }
    spread_.solve(current_, change_);
    for (std::size_t i = 0; i < states_.size(); ++i) v_.values()[i] += change_.values()[i];
  }

  void check_cells() {
    constexpr double kMost = 300;  // mV
    int good = 1;
    for (const double v : v_.values()) good = std::isfinite(v) && std::fabs(v) < kMost ? good : 0;
    int all = 1;
    check_mpi(MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, comm_), "MPI_Allreduce");
    if (all == 1) return;
    throw Error(
        ErrorKind::usage, fmt::format("the heart at {:.6g} ms", time()),
        fmt::format("has a potential beyond {} mV: the step of {} ms is too long for this mesh", kMost, options_.dt),
        "give a shorter --dt")
        .agreed();
  }

  Currents currents() {
    Currents mine;
    if (!options_.monodomain) {
      PetscVector out(comm_, dealing_.local());
      whole_->multiply(phi_e_, out);
      stiffness_.multiply(v_, current_);
      for (std::size_t i = 0; i < out.values().size(); ++i) {
        const double current = out.values()[i] + (i < states_.size() ? current_.values()[i] : 0);
        mine.sum += current;
        mine.absolute += std::fabs(out.values()[i]);
      }
    }
    return {sum_over(comm_, mine.sum), sum_over(comm_, mine.absolute)};
  }

  State state() const {
    State state;
    state.time = time();
    state.v.assign(v_.values().begin(), v_.values().end());
    state.phi_e.assign(phi_e_.values().begin(), phi_e_.values().end());
    state.cells.resize(states_.size() * kCellValues);
    if (!states_.empty()) std::memcpy(state.cells.data(), states_.data(), state.cells.size() * sizeof(double));
    return state;
  }

  void restore(const State& state) {
    half_steps_ = static_cast<std::uint64_t>(std::llround(2 * state.time / options_.dt));
    std::copy(state.v.begin(), state.v.end(), v_.values().begin());
    std::copy(state.phi_e.begin(), state.phi_e.end(), phi_e_.values().begin());
    if (!states_.empty()) std::memcpy(states_.data(), state.cells.data(), states_.size() * sizeof(TenTusscherState));
    solved_at_ = time();
    before_.clear();
  }

  // With a monodomain, what the two have in series.
  Conductivity in_membrane() const {
    return options_.monodomain ? options_.conductivities.monodomain() : options_.conductivities.intracellular;
  }

  MPI_Comm comm_;
  const NodeDealing& dealing_;
  BidomainOptions options_;
  PetscMatrix stiffness_;
  PetscMatrix spreading_;
  PetscSolver spread_;
  std::unique_ptr<PetscMatrix> whole_;
  std::unique_ptr<PetscSolver> potential_;
  PetscVector v_;
  PetscVector sum_;
  PetscVector current_;
  PetscVector change_;
  PetscVector phi_e_;
  PetscVector load_;
  std::vector<double> before_;  // phi_e of the solution before the last
  double solved_at_ = 0;
  double solved_before_at_ = 0;
  std::array<TenTusscher, 3> cells_{TenTusscher(CellLayer::epicardium), TenTusscher(CellLayer::midmyocardium),
                                    TenTusscher(CellLayer::endocardium)};
  std::vector<CellLayer> layers_;
  std::vector<TenTusscherState> states_;
  std::vector<double> starts_;  // of a heart node's stimulus, -1 for none
  std::vector<double> plates_;  // the current they bring to a node
  std::int32_t ground_ = -1;
  std::uint64_t half_steps_ = 0;  // of dt, that the cells have been taken
  std::uint64_t cell_steps_ = 0;
};

Bidomain::Bidomain(MPI_Comm comm, const HeartMesh& mesh, const NodeDealing& dealing, const BidomainOptions& options)
    : impl_(std::make_unique<Impl>(comm, mesh, dealing, options)) {}
Bidomain::~Bidomain() = default;

void Bidomain::advance(std::uint64_t steps) { impl_->advance(steps); }
double Bidomain::time() const { return impl_->time(); }
std::span<const double> Bidomain::v() const { return std::as_const(impl_->v_).values(); }
std::span<const double> Bidomain::phi_e() const { return std::as_const(impl_->phi_e_).values(); }
Bidomain::Currents Bidomain::currents() const { return impl_->currents(); }
const Convergence& Bidomain::v_convergence() const { return impl_->spread_.convergence(); }
const Convergence& Bidomain::phi_e_convergence() const {
  static const Convergence kNone;
  return impl_->potential_ ? impl_->potential_->convergence() : kNone;
}
std::uint64_t Bidomain::cell_steps() const { return impl_->cell_steps_; }
Bidomain::State Bidomain::state() const { return impl_->state(); }
void Bidomain::restore(const State& state) { impl_->restore(state); }

}  // namespace weft::kernels::ecg
