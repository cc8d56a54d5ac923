#include "weft/reduce/running_quantity.hpp"

#include <cmath>
#include <cstdlib>

#include "weft/reduce/beats.hpp"

namespace weft::reduce {

namespace {

class OfAllSamples : public RunningQuantity {
 public:
  explicit OfAllSamples(Quantity quantity) : quantity_(std::move(quantity)) {}
  std::string name() const override { return quantity_.name; }
  std::string units(const std::string& value_units, const std::string& time_units) const override {
    return units_of(quantity_, value_units, time_units);
  }

 private:
  Quantity quantity_;
};

// The least or the greatest, and when it was reached first.
class Extreme final : public OfAllSamples {
 public:
  explicit Extreme(const Quantity& quantity)
      : OfAllSamples(quantity), least_(quantity.is(SampleKind::min)), time_(quantity.is(SampleKind::argmax_time)) {}
  std::size_t state_size() const override { return time_ ? 2 : 1; }
  void begin(std::span<double> state) const override { state[0] = state.back() = kMissing; }
  void see(std::span<double> state, const Samples& samples) const override {
    std::size_t i = samples.first_new;
    const auto take = [&] {
      state.back() = samples.t[i];
      state[0] = samples.v[i];
    };
    if (std::isnan(state[0])) {  // no sample yet that is a number
      while (i < samples.v.size() && std::isnan(samples.v[i])) ++i;
      if (i == samples.v.size()) return;
      take();
    }
    for (; i < samples.v.size(); ++i) {
      if (least_ ? samples.v[i] < state[0] : state[0] < samples.v[i]) take();
    }
  }
  double result(std::span<const double> state) const override { return time_ ? state[1] : state[0]; }

 private:
  bool least_;
  bool time_;
};

// Mean, or root of the mean square; summed in the order of the steps.
class Mean final : public OfAllSamples {
 public:
  explicit Mean(const Quantity& quantity) : OfAllSamples(quantity), squares_(quantity.is(SampleKind::rms)) {}
  std::size_t state_size() const override { return 2; }
  void begin(std::span<double> state) const override { state[0] = state[1] = 0; }
  void see(std::span<double> state, const Samples& samples) const override {
    for (const double value : samples.v.subspan(samples.first_new)) {
      if (std::isnan(value)) continue;
      state[0] += squares_ ? value * value : value;
      state[1] += 1;
    }
  }
  double result(std::span<const double> state) const override {
    if (state[1] == 0) return kMissing;
    return squares_ ? std::sqrt(state[0] / state[1]) : state[0] / state[1];
  }

 private:
  bool squares_;
};

class FirstCrossing final : public OfAllSamples {
 public:
  FirstCrossing(const Quantity& quantity, double threshold) : OfAllSamples(quantity), threshold_(threshold) {}
  std::size_t state_size() const override { return 1; }
  void begin(std::span<double> state) const override { state[0] = kMissing; }
  void see(std::span<double> state, const Samples& samples) const override {
    if (!std::isnan(state[0])) return;
    const auto& [v, t, first_new] = samples;
    for (std::size_t i = std::max<std::size_t>(first_new, 1); i < v.size(); ++i) {
      if (!(v[i] > threshold_ && v[i - 1] <= threshold_)) continue;
      state[0] = crossing_time(t[i - 1], v[i - 1], t[i], v[i], threshold_);
      return;
    }
  }
  double result(std::span<const double> state) const override { return state[0]; }

 private:
  double threshold_;
};

}  // namespace

std::unique_ptr<RunningQuantity> make_running(const Quantity& quantity, double threshold) {
  switch (std::get<SampleKind>(quantity.kind)) {
    case SampleKind::min:
    case SampleKind::max:
    case SampleKind::argmax_time: return std::make_unique<Extreme>(quantity);
    case SampleKind::mean:
    case SampleKind::rms: return std::make_unique<Mean>(quantity);
    case SampleKind::first_crossing: return std::make_unique<FirstCrossing>(quantity, threshold);
  }
  std::abort();  // no such kind
}

}  // namespace weft::reduce
