// weft/reduce/running_quantity.hpp - a quantity over time that grows sample by sample, so that no trace has to be kept.
//
// This is where one's own quantities come in: derive, and hand it to RunReduction::own (reduce/run_reduction.hpp). What
// a node carries from window to window is a few doubles; the same calls, with all samples at once, make the map of a
// file that is there already. Pure: no I/O, no MPI, no state but the node's.
//
//   class TimeAbove final : public weft::reduce::RunningQuantity {          // how long v was above 0
//    public:
//     std::string name() const override { return "time_above_0"; }
//     std::string units(const std::string&, const std::string& time_units) const override { return time_units; }
//     std::size_t state_size() const override { return 1; }
//     void begin(std::span<double> state) const override { state[0] = 0; }
//     void see(std::span<double> state, const weft::reduce::Samples& s) const override {
//       for (std::size_t i = std::max<std::size_t>(s.first_new, 1); i < s.v.size(); ++i) {
//         if (s.v[i] > 0) state[0] += s.t[i] - s.t[i - 1];
//       }
//     }
//     double result(std::span<const double> state) const override { return state[0]; }
//   };
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "weft/reduce/quantity.hpp"

#pragma GCC visibility push(default)

namespace weft::reduce {

// The next samples of a node. Those before `first_new` were seen already and stand there for intervals that reach back:
// at least one, but in the first window none.
struct Samples {
  std::span<const double> v;
  std::span<const double> t;  // as long as v, rising
  std::size_t first_new = 0;
};

// The next samples of several nodes side by side: sample s of node i is v[s * pitch + i].
struct SamplesOfNodes {
  std::span<const double> v;
  std::size_t pitch = 0;
  std::size_t nodes = 0;
  std::span<const double> t;
  std::size_t first_new = 0;
};

class RunningQuantity {
 public:
  virtual ~RunningQuantity() = default;
  virtual std::string name() const = 0;  // the map's
  virtual std::string units(const std::string& value_units, const std::string& time_units) const = 0;
  virtual std::size_t state_size() const = 0;  // doubles a node carries
  virtual void begin(std::span<double> state) const = 0;
  virtual void see(std::span<double> state, const Samples& samples) const = 0;
  // Whether a running series calls see_nodes() in place of see(): for what looks at many nodes as quickly as at one.
  virtual bool sees_many() const { return false; }
  virtual void see_nodes(std::span<double> /*states, [node][state]*/, const SamplesOfNodes& /*samples*/) const {}
  virtual double result(std::span<const double> state) const = 0;  // NaN: there is none
};

// Of a quantity that is not per beat. `threshold` is that of first_crossing.
std::unique_ptr<RunningQuantity> make_running(const Quantity& quantity, double threshold);

}  // namespace weft::reduce

#pragma GCC visibility pop
