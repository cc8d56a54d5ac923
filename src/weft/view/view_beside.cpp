#include "weft/view/view_beside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "weft/storage/new_file.hpp"
#include "weft/support/error.hpp"
#include "weft/support/stopwatch.hpp"
#include "weft/view/series_mesh.hpp"
#include "weft/view/series_view.hpp"
#include "weft/view/vtkhdf.hpp"

namespace weft::view {

namespace {

namespace fs = std::filesystem;
using reading::Decoding;

// The mesh to be shown, copied: the view lies in another file. Nothing where the file has a grid, or nothing.
std::optional<Mesh> mesh_for(const SeriesReader& reader, const std::string& named) {
  if (!named.empty()) return read_vtu(named);
  if (has_mesh(reader)) return read_mesh(reader);
  return std::nullopt;
}

// A dataset that is not seen as it is: where the elements of the stretch are in it.
void place_in_file(Stretch& stretch, const Decoding& decoding) {
  const auto without_first = [](const Shape& extents) { return Shape(extents.begin() + 1, extents.end()); };
  Box box{without_first(stretch.box.start), without_first(stretch.box.count)};
  Shape shape = without_first(stretch.shape);
  if (decoding.form == survey::Form::folded) {  // every step whole
    const std::uint64_t nodes = stretch.shape[1];
    shape[0] = stretch.shape[0] * nodes;
    box.start[0] = stretch.box.start[0] * nodes;
    box.count[0] = stretch.box.count[0] * nodes;
  }
  stretch.own_shape = std::move(shape);
  stretch.own_box = std::move(box);
}

// Why a field's values cannot be shown where they are; "" where they can.
std::string what_hinders(const Decoding& decoding) {
  if (!reading::is_identity(decoding.order)) return "the step is not its first axis";
  return decoding.values.packed() ? "its values are packed" : "";
}

// The fields of the view as they are found from the folder it lies in.
void place_fields(View& view, const SeriesReader& reader, const std::string& file) {
  const reading::ForeignSeries* foreign = reader.foreign();
  const auto decoding_of = [&](const ViewField& field) -> const Decoding* {
    const std::vector<storage::ArrayEntry>& arrays = reader.catalog().segments[0].fields;
    for (std::size_t f = 1; foreign != nullptr && f < arrays.size(); ++f) {
      if (arrays[f].path == field.stretches.at(0).dataset) return &foreign->decodings[f];
    }
    return nullptr;
  };
  const auto place = [&](std::vector<ViewField>& fields) {
    std::erase_if(fields, [&](ViewField& field) {
      const Decoding* decoding = decoding_of(field);
      const std::string hindrance = decoding == nullptr ? "" : what_hinders(*decoding);
      if (!hindrance.empty()) {
        view.left_out.push_back(fmt::format("{}: cannot be shown without copying it: {}", field.name, hindrance));
        return true;
      }
      for (Stretch& stretch : field.stretches) {
        stretch.file = file;
        if (decoding != nullptr && decoding->form != survey::Form::plain) place_in_file(stretch, *decoding);
      }
      return false;
    });
  };
  for (Block& block : view.blocks) place(block.fields);
  place(view.globals);
}

bool shows_something(const View& view) {
  return std::any_of(view.blocks.begin(), view.blocks.end(), [](const Block& block) { return !block.fields.empty(); });
}

}  // namespace

View view_of(const SeriesReader& reader, const Mesh* named, const std::string& mesh_path) {
  const storage::SeriesCatalog& catalog = reader.catalog();
  if (reader.committed() == 0) {
    throw Error(ErrorKind::usage, catalog.path, "no steps are committed yet", "wait for the run's first window");
  }
  View view = series_view(catalog, reader.committed(), {}, named);
  if (view.blocks.empty()) {
    throw Error(ErrorKind::usage, catalog.path, "no mesh is named to show its nodes on", "add --mesh mesh.vtu");
  }
  if (shows_something(view) || reader.fields().empty()) return view;
  if (!mesh_path.empty()) {
    const storage::FieldEntry& field = reader.fields()[0];
    throw Error(ErrorKind::usage, mesh_path,
                fmt::format("has {} points, {} of {} has {} nodes", named->points.size() / 3,
                            catalog.segments[0].fields[1].path, catalog.path, nodes_of(field)),
                "name the mesh it was computed on, or the right --axes");
  }
  throw Error(ErrorKind::usage, catalog.path,
              view.left_out.empty() ? "has no field on nodes or cells" : view.left_out[0],
              "weft info shows its fields");
}

ViewReport view_beside(const BesideRequest& request, const ViewOptions& options) {
  const Stopwatch clock;
  ReadOptions read_options;
  read_options.access = layout::AccessCost{};  // nothing long is read
  read_options.choice = request.choice;
  const SeriesReader reader = SeriesReader::open(request.from, read_options);
  const std::optional<Mesh> mesh = mesh_for(reader, request.mesh);

  ViewReport report;
  const std::string& path = reader.path();
  report.path = request.out.empty() ? fs::path(path).replace_extension(".vtkhdf").string() : request.out;
  if (fs::exists(report.path) && fs::equivalent(report.path, path)) {
    throw Error(ErrorKind::usage, report.path, "is the input file", "name another: --out view.vtkhdf");
  }
  View& view = report.view;
  view = view_of(reader, mesh ? &*mesh : nullptr, request.mesh);
  place_fields(view, reader, fs::proximate(fs::absolute(path), fs::absolute(report.path).parent_path()).string());
  if (!shows_something(view)) {
    throw Error(ErrorKind::usage, path, view.left_out.empty() ? "has no fields to show" : view.left_out.back(),
                "weft convert copies what cannot be shown where it is");
  }
  const std::vector<double> times = reader.times();
  view.times = {".", "/time", {view.steps}, Box{{0}, {view.steps}}};
  view.mesh_objects.emplace_back(storage::array_of("/time", {view.steps}, times));
  std::vector<XdmfTopology> topologies(view.blocks.size());
  if (options.xdmf && mesh) topologies[0] = topology_of(view, 0, mesh->cells);

  storage::NewFile made(report.path, options.if_exists, storage::LockWish{"weft view", options.take_over});
  storage::create_object_file(made.part(), vtkhdf_objects(view));
  made.finish(false);
  report.bytes_added = fs::file_size(report.path);
  if (options.xdmf) report.xdmf_path = write_xdmf(report, times, topologies, options.take_over);
  report.seconds = clock.seconds();
  return report;
}

}  // namespace weft::view
