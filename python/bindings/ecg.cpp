// bindings/ecg.cpp - electrocardiograms, and the sheet that one is printed on.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/listener.hpp"
#include "weft/ecg/file_ecg.hpp"
#include "weft/ecg/sheet_layout.hpp"

namespace nb = nanobind;

namespace weft::bindings {
namespace {

using Electrodes = std::vector<std::pair<std::string, std::array<double, 3>>>;
using Signals = std::vector<std::pair<std::string, std::vector<double>>>;

// `kind` is recorded, potential or pseudo.
Described ecg_of(const std::string& path, const std::string& kind, const std::string& field,
                 const Electrodes& electrodes, double diffusivity, const std::string& mesh,
                 const nb::object& progress) {
  Listener listener(progress);
  ecg::EcgRequest request{.field = field, .electrodes = {}, .diffusivity = diffusivity, .mesh = mesh};
  for (const auto& [name, place] : electrodes) request.electrodes.push_back({name, place});
  request.progress = listener.progress();
  const ecg::Ecg found = listener.run([&] {
    const SeriesReader reader = SeriesReader::open(path);
    if (kind == "recorded") return ecg::recorded_ecg(reader);
    return kind == "potential" ? ecg::potential_ecg(reader, request) : ecg::pseudo_ecg(reader, request);
  });
  nb::dict signals;
  for (const ecg::Signal& signal : found.signals) signals[signal.name.c_str()] = signal.values;
  nb::dict result;
  result["times"] = found.times;
  result["time_units"] = found.time_units;
  result["units"] = kind == "pseudo" ? std::string() : found.units;
  result["signals"] = signals;
  return result;
}

nb::tuple point(const ecg::SheetPoint& at) { return nb::make_tuple(at.x, at.y); }

nb::list lines_of(const std::vector<ecg::Polyline>& lines) {
  nb::list list;
  for (const ecg::Polyline& line : lines) {
    nb::list points;
    for (const ecg::SheetPoint& at : line) points.append(point(at));
    list.append(points);
  }
  return list;
}

// Where everything goes, in mm from the upper left corner.
Described ecg_sheet(const std::vector<double>& times, const std::string& time_units, const std::string& units,
                    const Signals& signals, const std::string& name) {
  ecg::Ecg recorded{.times = times, .time_units = time_units, .units = units, .signals = {}};
  for (const auto& [of, values] : signals) recorded.signals.push_back({of, values});
  const ecg::Sheet sheet = ecg::lay_out_sheet(recorded, {name, units});
  nb::list traces;
  for (const ecg::SheetTrace& trace : sheet.traces) {
    traces.append(nb::make_tuple(trace.name, point(trace.label), lines_of(trace.lines)));
  }
  nb::dict result;
  result["size"] = nb::make_tuple(sheet.width, sheet.height);
  result["grid"] = nb::make_tuple(sheet.grid.x, sheet.grid.y, sheet.grid_width, sheet.grid_height);
  result["traces"] = traces;
  result["pulses"] = lines_of(sheet.pulses);
  result["ticks"] = lines_of(sheet.ticks);
  result["footer"] = point(sheet.footer);
  result["scale"] = sheet.scale;
  result["notes"] = sheet.notes;
  return result;
}

}  // namespace

void bind_ecg(nb::module_& module) {
  module.def("ecg", &ecg_of, nb::arg("path"), nb::arg("kind"), nb::arg("field"), nb::arg("electrodes"),
             nb::arg("diffusivity"), nb::arg("mesh"), nb::arg("progress").none());
  module.def("ecg_sheet", &ecg_sheet, nb::arg("times"), nb::arg("time_units"), nb::arg("units"), nb::arg("signals"),
             nb::arg("name"));
}

}  // namespace weft::bindings
