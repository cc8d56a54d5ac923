// kernels/mhm/problem_source.hpp - where the values of the local problems come from: drawn at random, or solved for.
//
// A rank has the problems of its block, one after the other, and of each the V values in the order of its lattice
// (criss_cross.hpp). To the output they are V / K points of K values each: value K i + d is dimension d of point i.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/mhm/mhm_options.hpp"
#include "weft/partition/ownership.hpp"
#include "weft/support/mpi_communicator.hpp"

namespace weft::kernels::mhm {

class ProblemSource {
 public:
  virtual ~ProblemSource() = default;
  // The values of a phase, of all problems of this rank. Collective; throws agreed errors.
  virtual void fill(std::uint64_t phase, std::span<double> values) = 0;
};

// Dimension d of a phase is stream phase K + d of values.hpp, and point i of problem p its number p V / K + i.
std::unique_ptr<ProblemSource> random_source(MpiCommunicator& comm, const MhmOptions& options, std::uint64_t seed,
                                             const partition::Block& problems);

// Darcy flow by a multiscale method: the pressure at every point of every lattice, at time `phase`. The same to the bit
// on any number of ranks and threads. Collective; throws agreed errors. `comm` must outlive it.
std::unique_ptr<ProblemSource> darcy_source(MpiCommunicator& comm, const MhmOptions& options,
                                            const partition::Block& problems);

}  // namespace weft::kernels::mhm
