// kernels/io/phase_times.hpp - where the time of an output phase goes, as paper 2 reports it: summed over calls and
// threads.
#pragma once

#include "weft/support/stopwatch.hpp"

namespace weft::kernels {

struct PhaseTimes {
  double build = 0;  // MPI types and views
  double open = 0;
  double write = 0;  // and seeks
  double close = 0;
  double compress = 0;

  PhaseTimes& operator+=(const PhaseTimes& other) {
    build += other.build;
    open += other.open;
    write += other.write;
    close += other.close;
    compress += other.compress;
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

}  // namespace weft::kernels
