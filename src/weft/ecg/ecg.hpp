// weft/ecg/ecg.hpp - an electrocardiogram: potentials of electrodes over time, and the leads made of them.
#pragma once

#include <array>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace weft::ecg {

struct Electrode {
  std::string name;
  std::array<double, 3> place{};  // in the mesh's unit
};

// "RA=-8,12.5,30". Throws Error(usage) on anything else.
Electrode parse_electrode(const std::string& text);
// Throws Error(usage) where there is none, or a name stands twice.
void check_electrodes(const std::vector<Electrode>& electrodes);

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

// Adds the twelve leads, as "lead I" and so on, where all nine electrodes of ecg/leads.hpp are there.
void add_leads(Ecg& ecg);

}  // namespace weft::ecg

#pragma GCC visibility pop
