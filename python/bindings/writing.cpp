// bindings/writing.cpp - weft::SeriesWriter, and what a series is made of.
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/communicator.hpp"
#include "weft/reduce/run_reduction.hpp"
#include "weft/reduce/running_quantity.hpp"
#include "weft/series/series_writer.hpp"
#include "weft/series/spec_words.hpp"
#include "weft/storage/series_file.hpp"

namespace nb = nanobind;

namespace weft::bindings {
namespace {

using partition::Ownership;
using Released = nb::call_guard<nb::gil_scoped_release>;
using Values = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
template <typename T>
using Row = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// What an attribute may be in Python; FixedText is the library's own.
using PythonAttribute = std::variant<std::string, std::int64_t, double, std::vector<std::int64_t>, std::vector<double>,
                                     std::vector<std::string>>;

template <typename T>
std::span<const T> span_of(const Row<T>& row) {
  return {row.data(), row.size()};
}

Attributes attributes_of(const std::map<std::string, PythonAttribute>& given) {
  Attributes attributes;
  for (const auto& [name, value] : given) {
    std::visit([&, &key = name](const auto& one) { attributes[key] = one; }, value);
  }
  return attributes;
}

struct Mesh {
  MeshSpec spec;
  Row<double> coordinates;  // kept until the series is made: the spec only points at them
  Row<std::uint8_t> cell_types;
  Row<std::int64_t> cell_sizes;
  Row<std::int64_t> connectivity;
};

std::shared_ptr<Mesh> mesh_of(std::uint64_t points, const Ownership& owned, const Row<double>& coordinates,
                              const Row<std::uint8_t>& cell_types, const Row<std::int64_t>& cell_sizes,
                              const Row<std::int64_t>& connectivity) {
  const MeshSpec spec{.points = points,
                      .owned = owned,
                      .coordinates = span_of(coordinates),
                      .cell_types = span_of(cell_types),
                      .cell_sizes = span_of(cell_sizes),
                      .connectivity = span_of(connectivity)};
  return std::make_shared<Mesh>(Mesh{spec, coordinates, cell_types, cell_sizes, connectivity});
}

// A spec and what lives as long as it does.
struct Series {
  SeriesSpec spec;
  std::shared_ptr<Mesh> mesh;
};

void set_mesh(Series& series, std::shared_ptr<Mesh> mesh) {
  series.mesh = std::move(mesh);
  series.spec.mesh = series.mesh->spec;
}

std::shared_ptr<series::WindowObserver> reduction_of(const std::string& field, const std::string& quantities,
                                                     double threshold, std::uint64_t max_beats,
                                                     std::optional<std::uint64_t> origin, double fill,
                                                     const std::vector<std::shared_ptr<reduce::RunningQuantity>>& own) {
  reduce::RunReductionSpec spec;
  spec.field = field;
  if (!quantities.empty()) spec.quantities = reduce::parse_quantities(quantities);
  spec.settings = {threshold, max_beats, origin};
  spec.own.assign(own.begin(), own.end());
  spec.fill = fill;
  return std::make_shared<reduce::RunReduction>(std::move(spec));
}

std::unique_ptr<SeriesWriter> create(const nb::object& ranks, const std::string& path, const Series& series) {
  const std::shared_ptr<Communicator> comm = communicator_of(ranks);
  const nb::gil_scoped_release released;
  return std::make_unique<SeriesWriter>(SeriesWriter::create(comm, path, series.spec));
}

std::unique_ptr<SeriesWriter> append(const nb::object& ranks, const std::string& path, const AppendSpec& spec) {
  const std::shared_ptr<Communicator> comm = communicator_of(ranks);
  const nb::gil_scoped_release released;
  return std::make_unique<SeriesWriter>(SeriesWriter::append(comm, path, spec));
}

void put(SeriesWriter& writer, const std::string& field, const std::string& dtype, const Values& values) {
  const DataType type = series::parse_data_type(dtype, "dtype");
  const std::span bytes(static_cast<const std::byte*>(values.data()), values.nbytes());
  const nb::gil_scoped_release released;
  writer.put_bytes(std::string_view(field), type, bytes);
}

// What put() takes of each field of a file that is to be appended to: dtype, shape of a step, support.
nb::typed<nb::dict, nb::str, nb::typed<nb::tuple, nb::str, Extents, nb::str>> fields_of(const std::string& path) {
  const storage::SeriesCatalog catalog = [&] {
    const nb::gil_scoped_release released;
    return storage::read_catalog(path);
  }();
  nb::dict fields;
  for (const storage::FieldEntry& field : std::span(catalog.fields).subspan(1)) {
    fields[field.name.c_str()] =
        nb::make_tuple(std::string(name_of(field.type)), tuple_of(field.per_step), std::string(name_of(field.support)));
  }
  return fields;
}

Ownership own_cells_of(const nb::object& ranks, std::uint64_t cells, const Shape& components) {
  const std::shared_ptr<Communicator> comm = communicator_of(ranks);
  return own_cells(*comm, cells, components);
}

void bind_ownership(nb::module_& module) {
  nb::class_<Ownership>(module, "Ownership", "weft::partition::Ownership: what a rank holds of a step's array.")
      .def_static(
          "box",
          [](const Shape& per_step, const Shape& start, const Shape& count) {
            return Ownership::box(per_step, {start, count});
          },
          nb::arg("per_step"), nb::arg("start"), nb::arg("count"))
      .def_static(
          "nodes",
          [](const Shape& per_step, const Row<std::uint64_t>& ids, const std::optional<Row<std::uint8_t>>& ghosts) {
            return Ownership::nodes(per_step, span_of(ids),
                                    ghosts ? span_of(*ghosts) : std::span<const std::uint8_t>());
          },
          nb::arg("per_step"), nb::arg("ids"), nb::arg("ghosts").none())
      .def_static("all", &Ownership::all, nb::arg("per_step"))
      .def_static("even", &partition::even_nodes, nb::arg("per_step"), nb::arg("rank"), nb::arg("ranks"))
      .def_static("cells", &own_cells_of, nb::arg("ranks").none(), nb::arg("cells"), nb::arg("components"))
      .def_static(
          "even_block",
          [](std::uint64_t count, int rank, int ranks) {
            const partition::Block block = partition::even_block(count, rank, ranks);
            return std::pair(block.first, block.count);
          },
          nb::arg("count"), nb::arg("rank"), nb::arg("ranks"))
      .def_prop_ro("shape", &Ownership::shape);
}

void bind_specs(nb::module_& module) {
  nb::class_<FieldSpec>(module, "FieldSpec", "weft::FieldSpec.")
      .def(nb::init<>())
      .def_rw("name", &FieldSpec::name)
      .def_prop_rw(
          "dtype", [](const FieldSpec& self) { return std::string(name_of(self.type)); },
          [](FieldSpec& self, const std::string& name) { self.type = series::parse_data_type(name, "dtype"); })
      .def_rw("per_step", &FieldSpec::per_step)
      .def_prop_rw(
          "support", [](const FieldSpec& self) { return std::string(name_of(self.support)); },
          [](FieldSpec& self, const std::string& name) { self.support = series::parse_support(name); })
      .def_rw("units", &FieldSpec::units)
      .def_rw("components", &FieldSpec::components)
      .def_rw("component_units", &FieldSpec::component_units)
      .def_rw("filters", &FieldSpec::filters)
      .def_rw("owned", &FieldSpec::owned)
      .def_rw("subset", &FieldSpec::subset, nb::arg().none())
      .def("set_attributes",
           [](FieldSpec& self, const std::map<std::string, PythonAttribute>& attributes) {
             self.attributes = attributes_of(attributes);
           })
      .def(
          "set_layout",
          [](FieldSpec& self, const std::string& kind, const std::string& reads, std::uint64_t target,
             const Shape& chunk) {
            self.layout.kind = series::parse_layout(kind);
            self.layout.reads = reads;
            self.layout.target_bytes = target;
            self.layout.chunk = chunk;
          },
          nb::arg("kind"), nb::arg("reads"), nb::arg("target"), nb::arg("chunk"));

  nb::class_<WriterOptions>(module, "WriterOptions", "weft::WriterOptions.")
      .def(nb::init<>())
      .def_rw("budget", &WriterOptions::budget_bytes)
      .def_rw("commit_seconds", &WriterOptions::commit_seconds)
      .def_rw("commit_steps", &WriterOptions::commit_steps)
      .def_rw("commit_on_signals", &WriterOptions::commit_on_signals)
      .def_rw("take_over", &WriterOptions::take_over)
      .def("set_sync", [](WriterOptions& self, const std::string& name) { self.sync = series::parse_sync(name); });

  nb::class_<Mesh>(module, "Mesh", "weft::MeshSpec, and the arrays it points at.")
      .def(nb::new_(&mesh_of), nb::arg("points"), nb::arg("owned"), nb::arg("coordinates"), nb::arg("cell_types"),
           nb::arg("cell_sizes"), nb::arg("connectivity"));
  nb::class_<series::WindowObserver>(module, "Observer", "weft::series::WindowObserver.");
  module.def("reduction", &reduction_of, nb::arg("field"), nb::arg("quantities"), nb::arg("threshold"),
             nb::arg("max_beats"), nb::arg("origin").none(), nb::arg("fill"), nb::arg("own"));

  nb::class_<Series>(module, "Series", "weft::SeriesSpec.")
      .def(nb::init<>())
      .def_prop_rw(
          "steps", [](const Series& self) { return self.spec.steps; },
          [](Series& self, std::optional<std::uint64_t> steps) { self.spec.steps = steps; }, nb::arg().none())
      .def_prop_rw(
          "time_units", [](const Series& self) { return self.spec.time_units; },
          [](Series& self, const std::string& units) { self.spec.time_units = units; })
      .def_prop_rw(
          "calendar", [](const Series& self) { return self.spec.calendar; },
          [](Series& self, const std::string& calendar) { self.spec.calendar = calendar; })
      .def_prop_rw(
          "align", [](const Series& self) { return self.spec.align_bytes; },
          [](Series& self, std::uint64_t bytes) { self.spec.align_bytes = bytes; })
      .def("replace",
           [](Series& self, bool replace) {
             self.spec.if_exists = replace ? storage::IfExists::replace : storage::IfExists::fail;
           })
      .def("set_attributes",
           [](Series& self, const std::map<std::string, PythonAttribute>& attributes) {
             self.spec.attributes = attributes_of(attributes);
           })
      .def("set_grid",
           [](Series& self, const Shape& shape, const std::array<double, 3>& origin,
              const std::array<double, 3>& spacing) {
             self.spec.grid = {shape, origin, spacing};
           })
      .def("set_mesh", &set_mesh)
      .def("set_options", [](Series& self, const WriterOptions& options) { self.spec.options = options; })
      .def("add_field", [](Series& self, const FieldSpec& field) { self.spec.fields.push_back(field); })
      .def("add_observer", [](Series& self, const std::shared_ptr<series::WindowObserver>& observer) {
        self.spec.observers.push_back(observer);
      });

  nb::class_<AppendSpec>(module, "AppendSpec", "weft::AppendSpec.")
      .def(nb::init<>())
      .def_rw("owned", &AppendSpec::owned)
      .def_rw("from_step", &AppendSpec::from_step, nb::arg().none())
      .def_rw("options", &AppendSpec::options);
}

}  // namespace

void bind_writing(nb::module_& module) {
  bind_ownership(module);
  bind_specs(module);
  nb::class_<SeriesWriter>(module, "Writer", "weft::SeriesWriter. All calls come from one thread.")
      .def_static("create", &create, nb::arg("ranks").none(), nb::arg("path"), nb::arg("series"))
      .def_static("append", &append, nb::arg("ranks").none(), nb::arg("path"), nb::arg("spec"))
      .def("put", &put, nb::arg("field"), nb::arg("dtype"), nb::arg("values"))
      .def("end_step", &SeriesWriter::end_step, nb::arg("time"), Released())
      .def("flush", &SeriesWriter::flush, Released())
      .def("close", &SeriesWriter::close, Released())
      .def("abandon", &SeriesWriter::abandon, Released())
      .def(
          "leave", [](SeriesWriter& self) { const SeriesWriter gone = std::move(self); }, Released())
      .def_prop_ro("next_step", &SeriesWriter::next_step)
      .def_static("fields_of", &fields_of, nb::arg("path"));
}

}  // namespace weft::bindings
