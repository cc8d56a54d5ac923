// weft/ecg/file_ecg.hpp - what electrodes around a heart would have recorded, from the potentials in a file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "weft/ecg/pseudo_ecg.hpp"
#include "weft/series/series_reader.hpp"

namespace weft::ecg {

struct Electrode {
  std::string name;
  std::array<double, 3> place{};  // in the mesh's unit
};

// "RA=-8,12.5,30". Throws Error(usage) on anything else.
Electrode parse_electrode(const std::string& text);

struct EcgRequest {
  std::string field;  // as reduce::choose_field() takes it; on all nodes of the mesh or on some
  std::vector<Electrode> electrodes;
  double diffusivity = 1;
  std::function<void(std::uint64_t done, std::uint64_t of)> progress{};  // steps
};

struct Signal {
  std::string name;
  std::vector<double> values;  // one a step
};

struct Ecg {
  std::vector<double> times;
  std::string time_units;
  std::string units;            // of the field: what a pseudo-ECG is in is a matter of D and the mesh's unit
  std::vector<Signal> signals;  // the electrodes in the order asked for; then, where all nine are there, the leads
};

// Reads each snapshot once; holds one, and a weight for each node and electrode. Not collective. Throws Error(usage)
// where the field, the mesh or an electrode is not there or named twice, and what pseudo_ecg_weights() throws.
Ecg pseudo_ecg(const SeriesReader& reader, const EcgRequest& request);

}  // namespace weft::ecg
