#include "weft/ecg/ecg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "weft/ecg/leads.hpp"
#include "weft/support/error.hpp"

namespace weft::ecg {

Electrode parse_electrode(const std::string& text) {
  Electrode electrode;
  const std::size_t equals = text.find('=');
  electrode.name = text.substr(0, equals);
  const char* at = text.data() + (equals == std::string::npos ? text.size() : equals + 1);
  const char* const end = text.data() + text.size();
  bool good = !electrode.name.empty() && at < end;
  for (std::size_t axis = 0; axis < 3 && good; ++axis) {
    if (axis > 0) good = at < end && *at++ == ',';
    const auto [behind, code] = std::from_chars(at, end, electrode.place[axis]);
    good = good && code == std::errc() && std::isfinite(electrode.place[axis]);
    at = behind;
  }
  if (!good || at != end) {
    throw Error(ErrorKind::usage, fmt::format("electrode {}", text), "is not NAME=X,Y,Z", "for example RA=-8,12.5,30");
  }
  return electrode;
}

void check_electrodes(const std::vector<Electrode>& electrodes) {
  if (electrodes.empty()) {
    throw Error(ErrorKind::usage, "no electrode is named", "", "name some: --electrode RA=-8,12,30");
  }
  std::set<std::string> names;
  for (const Electrode& electrode : electrodes) {
    if (names.insert(electrode.name).second) continue;
    throw Error(ErrorKind::usage, "electrode " + electrode.name, "is named twice", "give each a name of its own");
  }
}

void add_leads(Ecg& ecg) {
  std::array<const std::vector<double>*, kElectrodes> potentials{};
  for (std::size_t e = 0; e < kElectrodes; ++e) {
    const auto known = std::find_if(ecg.signals.begin(), ecg.signals.end(),
                                    [&](const Signal& signal) { return signal.name == kElectrodeNames[e]; });
    if (known == ecg.signals.end()) return;
    potentials[e] = &known->values;
  }
  std::vector<Signal> leads;
  leads.reserve(kLeadNames.size());
  for (const std::string_view name : kLeadNames) leads.push_back({"lead " + std::string(name), {}});
  for (std::size_t step = 0; step < ecg.times.size(); ++step) {
    std::array<double, kElectrodes> now{};
    for (std::size_t e = 0; e < kElectrodes; ++e) now[e] = (*potentials[e])[step];
    const auto values = leads_of(now);
    for (std::size_t lead = 0; lead < kLeads; ++lead) leads[lead].values.push_back(values[lead]);
  }
  ecg.signals.insert(ecg.signals.end(), leads.begin(), leads.end());
}

}  // namespace weft::ecg
