// kernels/mhm/mhm_output.hpp - how the solutions of a phase get into files; one implementation for each way.
//
//   files_output    a file for every problem: strategies files and files-buffered
//   shared_output   one file of all problems, by MPI-IO: shared, shared-buffered, shared-collective, shared-aligned
//   series_output   one HDF5 file of all phases, by Weft's writer: series
//
// All calls are collective and throw agreed errors, or errors that the caller makes the ranks agree on. Threads:
// OpenMP's share the work; MPI and Weft are called by the first alone (MPI_THREAD_FUNNELED).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/mhm/mhm_options.hpp"
#include "weft/partition/ownership.hpp"
#include "weft/support/mpi_communicator.hpp"

namespace weft::kernels::mhm {

class MhmOutput {
 public:
  virtual ~MhmOutput() = default;
  // Before the first phase, not timed.
  virtual void prepare() {}
  // The values of all problems of this rank, as problem_source.hpp has them.
  virtual void write(std::uint64_t phase, std::span<const double> values, Done& done) = 0;
};

struct MhmOutputSpec {
  MhmOptions options;
  RunOptions run;
  partition::Block problems;  // of this rank
};

std::unique_ptr<MhmOutput> files_output(const MhmOutputSpec& spec);
// `comm` must outlive it.
std::unique_ptr<MhmOutput> shared_output(MpiCommunicator& comm, const MhmOutputSpec& spec);
std::unique_ptr<MhmOutput> series_output(MpiCommunicator& comm, const MhmOutputSpec& spec);

// Calls act(value) for a problem's values in the order of its file: dimension after dimension.
template <typename Act>
void in_file_order(const MhmShape& shape, const double* values, const Act& act) {
  for (std::uint64_t dim = 0; dim < shape.dims; ++dim) {
    for (std::uint64_t value = dim; value < shape.values(); value += shape.dims) act(values[value]);
  }
}

// Writes a value in 13 bytes and returns their end; there must be room for kMostValueText. Throws Error(data) where it
// takes more.
char* write_value_text(char* out, double value, TextFormat format);

}  // namespace weft::kernels::mhm
