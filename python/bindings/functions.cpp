// bindings/functions.cpp - what the library does with whole files: the calls that the command makes, too.
//
// Results are dictionaries or JSON; python/weft/functions.py makes dataclasses of them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/listener.hpp"
#include "weft/convert/conversion.hpp"
#include "weft/inspect/inspection_report.hpp"
#include "weft/layout/design.hpp"
#include "weft/reduce/file_reduction.hpp"
#include "weft/refs/file_references.hpp"
#include "weft/refs/kerchunk_json.hpp"
#include "weft/repack/repack.hpp"
#include "weft/repack/series_import.hpp"
#include "weft/verify/file_check.hpp"
#include "weft/view/view_file.hpp"

namespace nb = nanobind;

namespace weft::bindings {
namespace {

storage::IfExists if_exists(bool replace) { return replace ? storage::IfExists::replace : storage::IfExists::fail; }

std::string design_layout(const Shape& shape, std::uint64_t element_bytes, const std::string& axes,
                          const std::string& reads, std::uint64_t target, std::uint64_t ranks, double latency,
                          double bandwidth, std::uint64_t align, const std::string& algorithm) {
  layout::DesignRequest request;
  request.shape = shape;
  request.element_bytes = element_bytes;
  if (!axes.empty()) request.axes = layout::parse_axes(axes, shape.size());
  request.read_text = reads;
  request.target_bytes = target;
  request.ranks = ranks;
  request.access.latency_s = latency;
  request.access.bandwidth = bandwidth;
  request.align_bytes = align;
  request.algorithm = layout::parse_algorithm(algorithm);
  return layout::to_json(layout::design(request)).dump();
}

Described reduce_one(const std::string& path, const std::string& field, const std::string& quantities,
                     const std::string& out, double threshold, std::uint64_t max_beats,
                     std::optional<std::uint64_t> origin, double fill, const std::string& mesh, std::uint64_t budget,
                     bool replace, const nb::object& progress) {
  Listener listener(progress);
  reduce::Reduction request{.path = path,
                            .field = field,
                            .quantities = reduce::parse_quantities(quantities),
                            .settings = {threshold, max_beats, origin},
                            .fill = fill,
                            .budget_bytes = budget,
                            .mesh = mesh,
                            .out = out,
                            .if_exists = if_exists(replace)};
  request.progress = listener.progress();
  SelfCommunicator alone;
  const reduce::ReductionReport report = listener.run([&] { return reduce::reduce_file(alone, request); });
  nb::list maps;
  for (const reduce::MapSummary& map : report.maps) {
    nb::dict one;
    one["quantity"] = map.name;
    one["row"] = map.row;
    one["units"] = map.units;
    one["values"] = map.values;
    one["min"] = map.min;
    one["max"] = map.max;
    maps.append(one);
  }
  nb::dict result;
  result["out"] = out;
  result["field"] = report.field;
  result["nodes"] = report.nodes;
  result["steps"] = report.steps;
  result["most_beats"] = report.most_beats;
  result["beyond_rows"] = report.beyond_rows;
  result["maps"] = maps;
  return result;
}

Described repack_one(const std::string& path, const std::string& out, const std::vector<std::string>& datasets,
                     const std::string& axes, const std::string& reads, std::uint64_t target,
                     const std::string& filters, std::uint64_t budget, int jobs, bool checksums, bool replace,
                     const nb::object& progress) {
  Listener listener(progress);
  repack::RepackRequest request;
  request.in = path;
  request.out = out;
  request.overwrite = replace;
  request.datasets = datasets;
  request.axes = axes;
  request.reads = reads;
  request.target_bytes = target;
  request.filter = filters;
  request.budget_bytes = budget;
  request.jobs = jobs;
  request.checksums = checksums;
  request.stopped = listener.stopped();
  request.progress = listener.progress();
  SelfCommunicator alone;
  const repack::RepackReport report = listener.run([&] { return repack::repack(alone, request); });
  nb::list repacked;
  for (std::size_t i = 0; i < report.plan.chosen.size(); ++i) {
    const repack::Chosen& chosen = report.plan.chosen[i];
    nb::dict one;
    one["path"] = chosen.facts.path;
    one["chunk"] = tuple_of(chosen.facts.chunk);
    one["new_chunk"] = tuple_of(chosen.chunk);
    one["stored_before"] = report.datasets[i].stored_before;
    one["stored_after"] = report.datasets[i].stored_after;
    repacked.append(one);
  }
  nb::dict result;
  result["out"] = out;
  result["datasets"] = repacked;
  result["kept"] = report.plan.kept_because;
  result["bytes_before"] = report.file_bytes_before;
  result["bytes_after"] = report.file_bytes_after;
  return result;
}

Described import_one(const std::string& path, const std::string& out, const std::vector<std::string>& fields,
                     const std::string& axes, const std::optional<std::string>& time, const std::string& mesh,
                     const std::string& reads, std::uint64_t target, const std::string& filters, std::uint64_t budget,
                     bool replace, const nb::object& progress) {
  Listener listener(progress);
  repack::ImportRequest request;
  request.from = path;
  request.out = out;
  request.fields = fields;
  request.choice.axes = axes;
  request.choice.time = time;
  request.mesh = mesh;
  request.layout.reads = reads;
  request.layout.target_bytes = target;
  request.filters = filters;
  request.budget_bytes = budget;
  request.if_exists = if_exists(replace);
  request.stopped = listener.stopped();
  request.progress = listener.progress();
  SelfCommunicator alone;
  const repack::ImportReport report = listener.run([&] { return repack::import_series(alone, request); });
  nb::dict result;
  result["out"] = out;
  result["steps"] = report.steps;
  result["fields"] = report.fields;
  result["left_out"] = report.left_out;
  result["not_shown"] = report.not_shown;
  result["bytes"] = report.bytes;
  return result;
}

Described verify_one(const std::string& path, bool quick, std::uint64_t budget, const nb::object& progress) {
  Listener listener(progress);
  verify::FileCheckOptions options{quick, budget, listener.progress()};
  const verify::FileReport report = listener.run([&] { return verify::check_file(path, options); });
  nb::list checks;
  for (const verify::Check& check : report.list.checks) {
    nb::dict one;
    one["what"] = check.what;
    one["verdict"] = std::string(name_of(check.verdict));
    one["detail"] = check.detail;
    one["problems"] = check.problems;
    checks.append(one);
  }
  nb::dict result;
  result["path"] = report.path;
  result["is_weft"] = report.is_weft;
  result["steps"] = report.steps;
  result["committed"] = report.committed;
  result["sound"] = report.sound();
  result["checks"] = checks;
  return result;
}

// As weft inspect --json has it.
std::string inspect_one(const std::string& path, const std::vector<std::string>& datasets, const std::string& axes,
                        const std::string& reads, std::uint64_t ranks, double latency, double bandwidth,
                        std::uint64_t target) {
  const nb::gil_scoped_release released;
  inspect::InspectionReport report{.question = {.path = path, .datasets = datasets, .axes = axes}, .file = {}};
  inspect::Question& question = report.question.question;
  question.reads = reads;
  question.ranks = ranks;
  question.access.latency_s = latency;
  question.access.bandwidth = bandwidth;
  question.target_bytes = target;
  question.hdf5 = inspect::hdf5_reader_here();
  report.file = inspect::inspect_file(report.question);
  return inspect::to_json(report).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Described view_one(const std::string& path, bool xdmf, bool take_over) {
  const view::ViewReport report = [&] {
    const nb::gil_scoped_release released;
    return view::view_weft_file(path, {.xdmf = xdmf, .take_over = take_over});
  }();
  nb::dict result;
  result["path"] = report.path;
  result["xdmf_path"] = report.xdmf_path;
  result["steps"] = report.view.steps;
  result["left_out"] = report.view.left_out;
  result["bytes_added"] = report.bytes_added;
  return result;
}

Described convert_one(const std::string& path, const std::string& to, const std::string& out, const std::string& steps,
                      const std::vector<std::string>& fields, const std::string& mesh, int level, bool float32,
                      std::uint64_t budget, bool replace, const nb::object& progress) {
  Listener listener(progress);
  convert::Conversion request;
  request.file = {.path = path, .mesh = mesh};
  request.to = convert::parse_format(to);
  request.out = out;
  request.steps = steps;
  request.fields = fields;
  request.level = level;
  request.precision = float32 ? convert::Precision::float32 : convert::Precision::keep;
  request.budget_bytes = budget;
  request.if_exists = if_exists(replace);
  request.progress = listener.progress();
  SelfCommunicator alone;
  const convert::ConversionReport report = listener.run([&] { return convert::convert_file(alone, request); });
  nb::dict result;
  result["out"] = report.out;
  result["further"] = report.further;
  result["files"] = report.files;
  result["bytes"] = report.bytes;
  result["steps"] = report.steps;
  result["left_out"] = report.left_out;
  return result;
}

std::string references(const std::string& path, const std::string& url, const std::vector<std::string>& datasets) {
  const nb::gil_scoped_release released;
  return refs::kerchunk_text(refs::references_of({path, datasets}), url);
}

}  // namespace

void bind_functions(nb::module_& module) {
  module.def("layout", &design_layout, nb::arg("shape"), nb::arg("element_bytes"), nb::arg("axes"), nb::arg("reads"),
             nb::arg("target"), nb::arg("ranks"), nb::arg("latency"), nb::arg("bandwidth"), nb::arg("align"),
             nb::arg("algorithm"));
  module.def("reduce", &reduce_one, nb::arg("path"), nb::arg("field"), nb::arg("quantities"), nb::arg("out"),
             nb::arg("threshold"), nb::arg("max_beats"), nb::arg("origin").none(), nb::arg("fill"), nb::arg("mesh"),
             nb::arg("budget"), nb::arg("replace"), nb::arg("progress").none());
  module.def("repack", &repack_one, nb::arg("path"), nb::arg("out"), nb::arg("datasets"), nb::arg("axes"),
             nb::arg("reads"), nb::arg("target"), nb::arg("filters"), nb::arg("budget"), nb::arg("jobs"),
             nb::arg("checksums"), nb::arg("replace"), nb::arg("progress").none());
  module.def("import_series", &import_one, nb::arg("path"), nb::arg("out"), nb::arg("fields"), nb::arg("axes"),
             nb::arg("time").none(), nb::arg("mesh"), nb::arg("reads"), nb::arg("target"), nb::arg("filters"),
             nb::arg("budget"), nb::arg("replace"), nb::arg("progress").none());
  module.def("verify", &verify_one, nb::arg("path"), nb::arg("quick"), nb::arg("budget"), nb::arg("progress").none());
  module.def("inspect", &inspect_one, nb::arg("path"), nb::arg("datasets"), nb::arg("axes"), nb::arg("reads"),
             nb::arg("ranks"), nb::arg("latency"), nb::arg("bandwidth"), nb::arg("target"));
  module.def("view", &view_one, nb::arg("path"), nb::arg("xdmf"), nb::arg("take_over"));
  module.def("convert", &convert_one, nb::arg("path"), nb::arg("to"), nb::arg("out"), nb::arg("steps"),
             nb::arg("fields"), nb::arg("mesh"), nb::arg("level"), nb::arg("float32"), nb::arg("budget"),
             nb::arg("replace"), nb::arg("progress").none());
  module.def("references", &references, nb::arg("path"), nb::arg("url"), nb::arg("datasets"));
}

}  // namespace weft::bindings
