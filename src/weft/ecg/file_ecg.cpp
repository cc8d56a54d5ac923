#include "weft/ecg/file_ecg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <set>

#include "weft/ecg/leads.hpp"
#include "weft/reduce/as_double.hpp"
#include "weft/reduce/field_choice.hpp"
#include "weft/series/series_mesh.hpp"
#include "weft/series/snapshot_sweep.hpp"
#include "weft/support/error.hpp"

namespace weft::ecg {

namespace {

using storage::FieldMap;
using storage::Subset;

// The part of the mesh that the field stands on, its points numbered as the field's nodes.
view::Mesh mesh_of_field(const SeriesReader& reader, const FieldMap& field) {
  view::Mesh mesh = read_mesh(reader);
  const std::uint64_t points = mesh.points.size() / 3;
  const std::uint64_t count = field.per_step[0];
  if (field.subset == Subset::all && count == points) return mesh;
  std::vector<std::int64_t> nodes(count);
  if (field.subset == Subset::listed) {
    reader.read_fixed("/weft/subsets/" + field.name, std::as_writable_bytes(std::span(nodes)));
  } else {
    std::iota(nodes.begin(), nodes.end(), 0);
  }
  view::Mesh part;
  part.cells = view::cells_among(nodes, points, mesh.cells);
  for (const std::int64_t node : nodes) {
    const auto at = mesh.points.begin() + 3 * node;
    part.points.insert(part.points.end(), at, at + 3);
  }
  return part;
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

// Where all nine electrodes are there.
void add_leads(Ecg& ecg) {
  std::array<const std::vector<double>*, kElectrodes> potentials{};
  for (std::size_t e = 0; e < kElectrodes; ++e) {
    const auto known = std::find_if(ecg.signals.begin(), ecg.signals.end(),
                                    [&](const Signal& signal) { return signal.name == kElectrodeNames[e]; });
    if (known == ecg.signals.end()) return;
    potentials[e] = &known->values;
  }
  std::vector<Signal> leads;
  for (const std::string_view name : kLeadNames) leads.push_back({"lead " + std::string(name), {}});
  for (std::size_t step = 0; step < ecg.times.size(); ++step) {
    std::array<double, kElectrodes> now{};
    for (std::size_t e = 0; e < kElectrodes; ++e) now[e] = (*potentials[e])[step];
    const auto values = leads_of(now);
    for (std::size_t lead = 0; lead < kLeads; ++lead) leads[lead].values.push_back(values[lead]);
  }
  ecg.signals.insert(ecg.signals.end(), leads.begin(), leads.end());
}

}  // namespace

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

Ecg pseudo_ecg(const SeriesReader& reader, const EcgRequest& request) {
  check_electrodes(request.electrodes);
  const reduce::FieldChoice choice = reduce::choose_field(reader.path(), reader.fields(), request.field);
  const FieldMap& field = reader.fields()[choice.field];
  const view::Mesh mesh = mesh_of_field(reader, field);
  std::vector<std::vector<double>> weights;
  for (const Electrode& electrode : request.electrodes) {
    weights.push_back(pseudo_ecg_weights(mesh.points, mesh.cells, electrode.place, request.diffusivity));
  }
  Ecg ecg;
  ecg.times = reader.times();
  ecg.time_units = reader.field("time").units;
  ecg.units = field.units;
  for (const Electrode& electrode : request.electrodes) ecg.signals.push_back({electrode.name, {}});

  SnapshotSweep sweep(reader, field.name);
  std::vector<std::byte> step(sweep.step_bytes());
  std::vector<double> v(field.per_step[0]);
  while (sweep.next(std::span(step))) {
    reduce::pick_as_double(field.type, step, choice.components, choice.component, v);
    for (std::size_t e = 0; e < weights.size(); ++e) {
      ecg.signals[e].values.push_back(std::inner_product(v.begin(), v.end(), weights[e].begin(), 0.0));
    }
    if (request.progress) request.progress(sweep.next_step(), ecg.times.size());
  }
  add_leads(ecg);
  return ecg;
}

}  // namespace weft::ecg
