// benchmarks/on_ranks/writer.hpp - one way of writing a series on MPI ranks, for benchmarks/on_ranks.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace on_ranks {

// Steps of `nodes` x 2 doubles, of which this rank has `count` nodes from `first` on.
struct Series {
  std::string path;
  std::uint64_t nodes = 0;
  std::uint64_t steps = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

class Writer {
 public:
  virtual ~Writer() = default;
  // All of it collective. The values are those of this rank's nodes, and may be changed afterwards.
  virtual void put(std::uint64_t step, const std::vector<double>& values) = 0;
  virtual void close() = 0;
};

std::unique_ptr<Writer> weft_writer(const Series& series);
// A folder with a file a rank, one write() a step.
std::unique_ptr<Writer> raw_writer(const Series& series);
// ADIOS2's BP5, as it comes, and as it was quickest of seven ways on a local disk (benchmarks/on_ranks/bp5_writer.cpp).
// Both throw std::runtime_error where ADIOS2 for MPI was not there when this was built.
extern const bool kHasBp5;
std::unique_ptr<Writer> bp5_writer(const Series& series);
std::unique_ptr<Writer> tuned_bp5_writer(const Series& series);

}  // namespace on_ranks
