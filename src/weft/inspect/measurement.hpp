// weft/inspect/measurement.hpp - a sample of each priced read really done, beside what was predicted of it.
//
// Reads of each kind are taken at seeded random places, through HDF5 and through Weft, each after the system was asked
// to forget the file, until the time is up: five of each at most, one at least. What is predicted is predicted for
// those very places, and for the store that was measured first, so predicted requests and bytes are to be met and not
// only approached (of filtered chunks, whose lengths differ, the bytes are a mean). Not collective.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "weft/inspect/inspection.hpp"
#include "weft/layout/access_cost.hpp"

namespace weft::inspect {

// Medians over the samples.
struct Compared {
  std::uint64_t samples = 0;
  Price predicted;
  double predicted_seconds = 0;
  Price measured;  // 0 requests where nobody counts them
  double seconds = 0;
};

struct MeasuredRead {
  std::string name;
  std::uint64_t asked_bytes = 0;  // of one sample: where every step has its own dataset, of one dataset
  std::optional<Compared> hdf5{};
  std::optional<Compared> weft{};
  std::string left_out{};  // why one of them, or both, are missing
};

struct Measured {
  bool cold = true;  // whether the system did forget the file before every sample
  std::vector<MeasuredRead> reads;
};

struct Measuring {
  std::string path;
  layout::AccessCost access;  // what the file's store costs, as measured
  Hdf5Reader hdf5;
  double seconds = 4;                            // in all, give or take a sample
  std::function<void(const std::string&)> at{};  // called before each sample
};

// What the store under a file costs when cold: the time of one request, and the bandwidth of a long one.
layout::AccessCost measured_access_cost(const std::string& path);

// Empty where nothing was priced. Throws Error(data) or Error(system) where the file cannot be opened.
Measured measure(const Inspection& inspection, const Measuring& how);

}  // namespace weft::inspect
