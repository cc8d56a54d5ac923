// Darcy flow by a multiscale finite element method with linear boundary data (Hou and Wu 1997; its Petrov-Galerkin form
// by Hou, Wu and Zhang, Commun. Math. Sci. 2, 2004): every triangle of the coarse mesh tells how it resists to
// pressures at its corners, from the permeability within; the coarse problem is put together from that; and with the
// pressures it finds at the corners, each triangle's flow is solved for by itself.
#include <algorithm>
#include <cmath>

#include "kernels/mhm/darcy/coarse_problem.hpp"
#include "kernels/mhm/problem_source.hpp"
#include "kernels/mhm/threads.hpp"

namespace weft::kernels::mhm {

namespace {

// Every problem's numbers on every rank; a rank has its block of them. Collective.
template <typename T>
std::vector<T> gathered(MpiCommunicator& comm, const std::vector<T>& mine, std::uint64_t problems) {
  std::vector<T> all(problems);
  std::vector<int> counts;
  std::vector<int> starts;
  for (int rank = 0; rank < comm.size(); ++rank) {
    const partition::Block block = partition::even_block(problems, rank, comm.size());
    counts.push_back(static_cast<int>(block.count * sizeof(T) / sizeof(double)));
    starts.push_back(static_cast<int>(block.first * sizeof(T) / sizeof(double)));
  }
  check_mpi(MPI_Allgatherv(mine.data(), static_cast<int>(mine.size() * sizeof(T) / sizeof(double)), MPI_DOUBLE,
                           all.data(), counts.data(), starts.data(), MPI_DOUBLE, comm.handle()),
            "MPI_Allgatherv");
  return all;
}

class DarcySource final : public ProblemSource {
 public:
  DarcySource(MpiCommunicator& comm, const MhmOptions& options, const partition::Block& problems)
      : comm_(comm),
        threads_(options.threads),
        problems_(problems),
        mesh_{options.shape.ccross},
        lattice_{options.shape.sub_elements} {
    std::vector<CornerMatrix> matrices(problems_.count);
    agree_on(comm_, [&] {
      on_threads(threads_, problems_.count, [&](std::uint64_t i, std::uint64_t) {
        matrices[i] = LocalProblem(corners_of(i), lattice_, flow_).coarse_matrix();
      });
    });
    std::vector<CornerMatrix> all = gathered(comm_, matrices, mesh_.elements());
    agree_on(comm_, [&] { coarse_ = std::make_unique<CoarseProblem>(mesh_, std::move(all)); });
  }

  void fill(std::uint64_t phase, std::span<double> values) override {
    const auto time = static_cast<double>(phase);
    std::vector<CornerValues> loads(problems_.count);
    agree_on(comm_, [&] {
      on_threads(threads_, problems_.count, [&](std::uint64_t i, std::uint64_t) {
        loads[i] = coarse_load(lattice_, local_load(corners_of(i), lattice_, flow_, time));
      });
    });
    const std::vector<CornerValues> all = gathered(comm_, loads, mesh_.elements());
    agree_on(comm_, [&] {
      const std::vector<double> pressure = coarse_->solve(all);
      on_threads(threads_, problems_.count, [&](std::uint64_t i, std::uint64_t) {
        const std::vector<double> load = local_load(corners_of(i), lattice_, flow_, time);
        const std::span<double> local = values.subspan(i * lattice_.points(), lattice_.points());
        const LocalProblem problem(corners_of(i), lattice_, flow_);
        problem.solve(coarse_->at_corners(problems_.first + i, pressure), load, local);
        for (double& value : local) value = printable(value);
      });
    });
  }

 private:
  Corners corners_of(std::uint64_t i) const { return mesh_.corners_of(problems_.first + i); }

  // An exponent of three digits would make the text longer; so small a pressure is none.
  static double printable(double value) { return std::abs(value) < 1e-99 ? 0 : value; }

  MpiCommunicator& comm_;
  std::uint64_t threads_;
  partition::Block problems_;
  CrissCross mesh_;
  Lattice lattice_;
  DarcyFlow flow_ = rough_flow();
  std::unique_ptr<CoarseProblem> coarse_;
};

}  // namespace

std::unique_ptr<ProblemSource> darcy_source(MpiCommunicator& comm, const MhmOptions& options,
                                            const partition::Block& problems) {
  return std::make_unique<DarcySource>(comm, options, problems);
}

}  // namespace weft::kernels::mhm
