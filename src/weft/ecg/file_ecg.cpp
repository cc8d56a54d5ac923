#include "weft/ecg/file_ecg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "weft/ecg/pseudo_ecg.hpp"
#include "weft/reading/snapshot_sweep.hpp"
#include "weft/reduce/as_double.hpp"
#include "weft/reduce/field_choice.hpp"
#include "weft/support/error.hpp"
#include "weft/view/series_mesh.hpp"

namespace weft::ecg {

namespace {

using storage::FieldEntry;
using storage::Subset;

// The part of the mesh that the field stands on, its points numbered as the field's nodes.
view::Mesh mesh_of_field(const SeriesReader& reader, const FieldEntry& field, const std::string& named) {
  view::Mesh mesh = named.empty() ? read_mesh(reader) : view::read_vtu(named);
  const std::uint64_t points = mesh.points.size() / 3;
  const std::uint64_t count = nodes_of(field);
  if (field.subset == Subset::all && count == points) return mesh;
  if (field.subset == Subset::all || count > points) {
    throw Error(
        ErrorKind::usage, named.empty() ? reader.path() : named,
        fmt::format("the mesh has {} points, field '{}' of {} has {} nodes", points, field.name, reader.path(), count),
        "name the mesh it was computed on: --mesh heart.vtu");
  }
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

Ecg begun(const SeriesReader& reader, const FieldEntry& field) {
  Ecg ecg;
  ecg.times = reader.times();
  ecg.time_units = reader.field("time").units;
  ecg.units = field.units;
  return ecg;
}

}  // namespace

Ecg pseudo_ecg(const SeriesReader& reader, const EcgRequest& request) {
  check_electrodes(request.electrodes);
  const reduce::FieldChoice choice = reduce::choose_field(reader.path(), reader.fields(), request.field);
  const FieldEntry& field = reader.fields()[choice.field];
  const view::Mesh mesh = mesh_of_field(reader, field, request.mesh);
  std::vector<std::vector<double>> weights;
  for (const Electrode& electrode : request.electrodes) {
    weights.push_back(pseudo_ecg_weights(mesh.points, mesh.cells, electrode.place, request.diffusivity));
  }
  Ecg ecg = begun(reader, field);
  for (const Electrode& electrode : request.electrodes) ecg.signals.push_back({electrode.name, {}});

  SnapshotSweep sweep(reader, field.name);
  std::vector<std::byte> step(sweep.step_bytes());
  std::vector<double> v(nodes_of(field));
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

Ecg potential_ecg(const SeriesReader& reader, const EcgRequest& request) {
  check_electrodes(request.electrodes);
  const reduce::FieldChoice choice = reduce::choose_field(reader.path(), reader.fields(), request.field);
  const FieldEntry& field = reader.fields()[choice.field];
  const view::Mesh mesh = mesh_of_field(reader, field, request.mesh);
  Ecg ecg = begun(reader, field);
  for (const Electrode& electrode : request.electrodes) {
    const auto away = [&](std::uint64_t node) {
      double squared = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double along = mesh.points[3 * node + axis] - electrode.place[axis];
        squared += along * along;
      }
      return squared;
    };
    std::uint64_t nearest = 0;
    for (std::uint64_t node = 1; node < mesh.points.size() / 3; ++node) {
      if (away(node) < away(nearest)) nearest = node;
    }
    const Box box = reader.trace_box(field.name, nearest);
    std::vector<std::byte> trace(element_count(box.count) * size_of(field.type));
    reader.read(field.name, box, trace);
    ecg.signals.push_back({electrode.name, std::vector<double>(ecg.times.size())});
    reduce::pick_as_double(field.type, trace, choice.components, choice.component, ecg.signals.back().values);
    if (request.progress) request.progress(ecg.signals.size(), request.electrodes.size());
  }
  add_leads(ecg);
  return ecg;
}

Ecg recorded_ecg(const SeriesReader& reader, const std::string& name) {
  const auto fields = reader.fields();
  const auto field = std::find_if(fields.begin(), fields.end(), [&](const FieldEntry& one) {
    return one.name == name && one.support == storage::Support::global && !one.components.empty();
  });
  if (field == fields.end()) {
    throw Error(ErrorKind::usage, reader.path(), "holds no recorded electrodes",
                "name a field and where electrodes stand: --field V --electrode RA=-8,12,30");
  }
  Ecg ecg = begun(reader, *field);
  const std::uint64_t electrodes = field->components.size();
  const Box box = reader.block_box(name, 0, electrodes);
  std::vector<std::byte> all(element_count(box.count) * size_of(field->type));
  reader.read(name, box, all);
  for (std::uint64_t e = 0; e < electrodes; ++e) {
    ecg.signals.push_back({field->components[e], std::vector<double>(ecg.times.size())});
    reduce::pick_as_double(field->type, all, electrodes, e, ecg.signals.back().values);
  }
  add_leads(ecg);
  return ecg;
}

}  // namespace weft::ecg
