// weft/reduce/trace_reducer.hpp - all quantities of one whole trace: the plain way, with every sample at hand.
//
// For a conduction velocity it gives the upstroke time; reduce/conduction.hpp, which knows the mesh, turns one into the
// other.
//
// What is reduced while a series runs (reduce/run_reduction.hpp) is held to this bit for bit.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "weft/reduce/beats.hpp"
#include "weft/reduce/quantity.hpp"
#include "weft/reduce/running_quantity.hpp"

namespace weft::reduce {

class TraceReducer {
 public:
  TraceReducer(std::vector<Quantity> quantities, const Settings& settings,
               std::vector<std::shared_ptr<const RunningQuantity>> own = {});

  // Rows of all its quantities one behind the other: a quantity per beat has max_beats, any other one; own ones last.
  std::uint64_t rows() const { return rows_; }

  // Fills `out`, rows() values, NaN where the trace has fewer beats. Returns how many beats it has, those beyond the
  // rows too; 0 where no quantity is per beat. `v` and `t` are equally long, t rises. Not for several threads at once.
  std::uint64_t reduce(std::span<const double> v, std::span<const double> t, std::span<double> out);

 private:
  void reduce_beats(std::span<const double> v, std::span<const double> t, const Quantity& quantity,
                    std::span<double> out);

  std::vector<Quantity> quantities_;
  Settings settings_;
  std::vector<std::shared_ptr<const RunningQuantity>> own_;
  std::vector<std::unique_ptr<RunningQuantity>> running_;  // as quantities_; null where per beat
  std::vector<double> state_;
  std::vector<Beat> beats_;  // of the present trace
  bool per_beat_ = false;
  std::uint64_t rows_ = 0;
};

}  // namespace weft::reduce
