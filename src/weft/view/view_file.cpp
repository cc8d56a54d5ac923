#include "weft/view/view_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "weft/storage/new_file.hpp"
#include "weft/storage/series_changes.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/storage/step_times.hpp"
#include "weft/storage/take_file.hpp"
#include "weft/storage/writer_state.hpp"
#include "weft/support/error.hpp"
#include "weft/support/stopwatch.hpp"
#include "weft/view/map_view.hpp"
#include "weft/view/series_view.hpp"
#include "weft/view/vtkhdf.hpp"
#include "weft/view/xdmf.hpp"

namespace weft::view {

namespace {

// An array the view's mesh is made of: one of the file's own, or one the view is about to add.
template <typename T>
std::vector<T> mesh_values(const std::string& path, const View& view, const storage::SeriesCatalog& catalog,
                           const ArrayReader& read) {
  const auto from = [](const std::vector<std::byte>& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  };
  for (const storage::Object& object : view.mesh_objects) {
    const auto* array = std::get_if<storage::ArrayObject>(&object);
    if (array != nullptr && array->path == path) return from(array->values);
  }
  const storage::ArrayEntry* array = catalog.find_fixed(path);
  return array == nullptr ? std::vector<T>{} : from(read(*array));
}

// What XDMF has to know of each block's cells.
std::vector<XdmfTopology> topologies_of(View& view, const storage::SeriesCatalog& catalog, const ArrayReader& read) {
  std::vector<XdmfTopology> topologies(view.blocks.size());
  for (std::size_t b = 0; b < view.blocks.size(); ++b) {
    if (!view.blocks[b].unstructured || view.blocks[b].unstructured->cells == 0) continue;
    const Unstructured& mesh = *view.blocks[b].unstructured;
    Cells cells;
    cells.types = mesh_values<std::uint8_t>(mesh.types_path, view, catalog, read);
    cells.offsets = mesh_values<std::int64_t>(mesh.offsets_path, view, catalog, read);
    if (cell_runs(cells, kMostRuns).size() > kMostRuns) {
      cells.connectivity = mesh_values<std::int64_t>(mesh.connectivity_path, view, catalog, read);
    }
    topologies[b] = topology_of(view, b, cells);
  }
  return topologies;
}

}  // namespace

XdmfTopology topology_of(View& view, std::size_t block, const Cells& cells) {
  XdmfTopology topology;
  topology.runs = cell_runs(cells, kMostRuns);
  if (topology.runs.size() <= kMostRuns) return topology;
  const std::vector<std::int64_t> mixed = mixed_topology(cells);
  topology.mixed_path = "/weft/view/cells_of_" + view.blocks[block].name;
  topology.mixed_length = mixed.size();
  view.mesh_objects.emplace_back(storage::array_of(topology.mixed_path, {mixed.size()}, mixed));
  return topology;
}

std::string write_xdmf(const ViewReport& report, std::span<const double> times,
                       std::span<const XdmfTopology> topologies, bool take_over) {
  std::string path = report.path + ".xdmf";
  storage::NewFile made(path, storage::IfExists::replace, storage::LockWish{"weft view", take_over});
  const std::string text =
      xdmf_text(report.view, std::filesystem::path(report.path).filename().string(), times, topologies);
  const auto store = storage::open_store(made.part(), storage::OpenMode::create, nullptr, path);
  store->write_at(0, std::as_bytes(std::span(text)));
  store->close();
  made.finish(true);
  return path;
}

ViewReport view_weft_file(const std::string& path, const ViewOptions& options) {
  const Stopwatch clock;
  const storage::WriterLock lock = storage::take_file(path, {"weft view", options.take_over});
  const storage::SeriesCatalog catalog = storage::read_catalog(path);
  ViewReport report;
  report.path = path;
  std::vector<XdmfTopology> topologies;
  std::vector<double> times;
  std::uint64_t size_before = 0;
  {
    const auto store = storage::open_store(path, storage::OpenMode::read);
    size_before = store->size();
    const std::uint64_t committed = storage::readable_steps(*store, catalog, storage::LockIs::mine);
    const std::uint64_t steps = std::min(committed, catalog.capacity());
    if (steps == 0) {
      throw Error(ErrorKind::usage, path, "no steps are committed yet", "wait for the run's first window");
    }
    const ArrayReader read = reader_of(*store);
    report.view = series_view(catalog, steps, read);
    if (report.view.blocks.empty()) {
      throw Error(ErrorKind::usage, path, "has no mesh to show its fields on", "name one: --mesh mesh.vtu");
    }
    add_maps(report.view, maps_in(path, catalog));
    if (options.xdmf) {
      topologies = topologies_of(report.view, catalog, read);
      times = storage::step_times(*store, catalog, 0, steps);
    }
  }
  storage::renew_view(catalog, report.view.steps,
                      [&](const storage::SeriesCatalog&, std::uint64_t) { return vtkhdf_objects(report.view); });
  const std::uint64_t size_after = std::filesystem::file_size(path);
  report.bytes_added = size_after - std::min(size_before, size_after);
  if (options.xdmf) report.xdmf_path = write_xdmf(report, times, topologies, options.take_over);
  report.seconds = clock.seconds();
  return report;
}

}  // namespace weft::view
