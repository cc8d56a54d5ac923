// kernels/io/phase_times.hpp - where the time of an output phase goes, as paper 2 reports it: summed over calls and
// threads, and call by call.
#pragma once

#include "kernels/io/call_latency.hpp"
#include "weft/support/stopwatch.hpp"

namespace weft::kernels {

struct PhaseTimes {
  double build = 0;  // MPI types and views
  double open = 0;
  double write = 0;  // and seeks
  double close = 0;
  double compress = 0;
  CallLatencies calls;  // where calls are timed one by one

  PhaseTimes& operator+=(const PhaseTimes& other) {
    build += other.build;
    open += other.open;
    write += other.write;
    close += other.close;
    compress += other.compress;
    calls += other.calls;
    return *this;
  }
};

// Adds the time an action takes to `sum`, also where it throws.
template <typename Action>
auto timed(double& sum, const Action& action) {
  struct Add {
    double& sum;
    Stopwatch clock;
    ~Add() { sum += clock.seconds(); }
  } const add{sum, {}};
  return action();
}

// The same for a single call, which is counted in `latency` as well.
template <typename Action>
auto timed(double& sum, CallLatency& latency, const Action& action) {
  struct Add {
    double& sum;
    CallLatency& latency;
    Stopwatch clock;
    ~Add() {
      const double seconds = clock.seconds();
      sum += seconds;
      latency.add(seconds);
    }
  } const add{sum, latency, {}};
  return action();
}

}  // namespace weft::kernels
