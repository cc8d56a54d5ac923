// weft/ecg/file_ecg.hpp - what electrodes on or around a heart record, from the potentials in a file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "weft/ecg/ecg.hpp"
#include "weft/reading/series_reader.hpp"

#pragma GCC visibility push(default)

namespace weft::ecg {

struct EcgRequest {
  std::string field;  // as reduce::choose_field() takes it; on all nodes of the mesh or on some
  std::vector<Electrode> electrodes;
  double diffusivity = 1;
  std::string mesh{};                                                    // a .vtu file; empty: the mesh in the file
  std::function<void(std::uint64_t done, std::uint64_t of)> progress{};  // steps
};

// Reads each snapshot once; holds one, and a weight for each node and electrode. Not collective. Throws Error(usage)
// where the field, the mesh or an electrode is not there or named twice, and what pseudo_ecg_weights() throws.
Ecg pseudo_ecg(const SeriesReader& reader, const EcgRequest& request);

// The extracellular potential `request.field` at the mesh's node nearest to each electrode, relative to nothing but the
// field's own zero: a trace of each is read. `diffusivity` is not used. Not collective; throws as pseudo_ecg().
Ecg potential_ecg(const SeriesReader& reader, const EcgRequest& request);

// What the simulation itself recorded: the field `name`, one row of named values a step; "electrodes" as the solver
// writes it. Not collective; throws Error(usage) where there is no such field.
Ecg recorded_ecg(const SeriesReader& reader, const std::string& name = "electrodes");

}  // namespace weft::ecg

#pragma GCC visibility pop
