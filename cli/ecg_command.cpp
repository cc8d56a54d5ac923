#include "cli/ecg_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/ecg_sheet.hpp"
#include "cli/json_text.hpp"
#include "cli/opened_apart.hpp"
#include "cli/text_table.hpp"
#include "weft/ecg/file_ecg.hpp"
#include "weft/ecg/sheet_layout.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/progress.hpp"
#include "weft/support/stopwatch.hpp"

namespace weft::cli {

namespace {

using nlohmann::json;

struct EcgArguments {
  std::string path;
  std::string field;
  std::string mesh;
  std::vector<std::string> electrodes;
  double diffusivity = 1;
  bool potential = false;  // the field is the one electrodes measure
  std::string plot;        // empty: none
  bool csv = false;
  bool json = false;
};

ecg::Ecg computed(const EcgArguments& arguments) {
  ecg::EcgRequest request{arguments.field, {}, arguments.diffusivity, arguments.mesh};
  for (const std::string& electrode : arguments.electrodes) {
    request.electrodes.push_back(ecg::parse_electrode(electrode));
  }
  try_to_open(arguments.path, {}, arguments.field.substr(0, arguments.field.rfind(':')));
  const CrashLine crash_line = reading_crash_line(arguments.path);
  const SeriesReader reader = SeriesReader::open(arguments.path);
  if (arguments.field.empty()) return ecg::recorded_ecg(reader);
  std::optional<Progress> progress;
  request.progress = [&](std::uint64_t done, std::uint64_t of) {
    if (!progress) progress.emplace("reading", arguments.potential ? "electrode" : "step", of, true);
    progress->update(done);
  };
  return arguments.potential ? ecg::potential_ecg(reader, request) : ecg::pseudo_ecg(reader, request);
}

// Potentials as they are, in a unit; a pseudo-ECG's is arbitrary.
bool is_measured(const EcgArguments& arguments) { return arguments.field.empty() || arguments.potential; }

std::string what(const EcgArguments& arguments) {
  if (arguments.field.empty()) return "the electrodes of the simulation";
  return (arguments.potential ? "electrodes on " : "pseudo-ECG of ") + arguments.field;
}

void print_csv(const ecg::Ecg& ecg) {
  std::string line = "time";
  for (const ecg::Signal& signal : ecg.signals) line += "," + signal.name;
  fmt::print("{}\n", line);
  for (std::size_t step = 0; step < ecg.times.size(); ++step) {
    line = fmt::format("{}", ecg.times[step]);
    for (const ecg::Signal& signal : ecg.signals) line += fmt::format(",{}", signal.values[step]);
    fmt::print("{}\n", line);
  }
}

json to_json(const EcgArguments& arguments, const ecg::Ecg& ecg, double seconds) {
  json signals = json::array();
  for (const ecg::Signal& signal : ecg.signals) signals.push_back({{"name", signal.name}, {"values", signal.values}});
  return {{"file", arguments.path},
          {"field", arguments.field},
          {"kind", arguments.field.empty() ? "recorded"
                   : arguments.potential   ? "potential"
                                           : "pseudo"},
          {"diffusivity", arguments.diffusivity},
          {"units", is_measured(arguments) ? ecg.units : ""},
          {"times", ecg.times},
          {"time_units", ecg.time_units},
          {"signals", signals},
          {"seconds", seconds},
          {"plot", arguments.plot.empty() ? json() : json(arguments.plot)}};
}

std::string to_text(const EcgArguments& arguments, const ecg::Ecg& ecg, double seconds) {
  std::string text =
      fmt::format("{}: {} over {} steps in {}{}\n\n", arguments.path, what(arguments), format_count(ecg.times.size()),
                  format_seconds(seconds), is_measured(arguments) && !ecg.units.empty() ? ", in " + ecg.units : "");
  std::vector<std::vector<std::string>> rows{{"signal", "least", "at", "greatest", "at"}};
  for (const ecg::Signal& signal : ecg.signals) {
    std::vector<std::string> row{signal.name};
    const auto [least, greatest] = std::minmax_element(signal.values.begin(), signal.values.end());
    for (const auto at : {least, greatest}) {
      const auto step = static_cast<std::size_t>(at - signal.values.begin());
      row.push_back(fmt::format("{:.4g}", *at));
      row.push_back(fmt::format("{:.6g}{}{}", ecg.times[step], ecg.time_units.empty() ? "" : " ", ecg.time_units));
    }
    rows.push_back(std::move(row));
  }
  text += text_table(rows, 1) + "\n";
  return text + (arguments.plot.empty() ? "every step: --csv; a picture: --plot ecg.png\n"
                                        : fmt::format("drawn: {}\n", arguments.plot));
}

void run(const EcgArguments& arguments) {
  const Stopwatch clock;
  std::optional<EcgSheetFile> plot;
  if (!arguments.plot.empty()) plot.emplace(arguments.plot);  // what cannot be written is said before the reading
  const ecg::Ecg ecg = computed(arguments);
  if (plot) {
    plot->draw(ecg::lay_out_sheet(
        ecg, {std::filesystem::path(arguments.path).filename().string(), is_measured(arguments) ? ecg.units : ""}));
  }
  if (arguments.csv) {
    print_csv(ecg);
  } else if (arguments.json) {
    fmt::print("{}\n", json_text(to_json(arguments, ecg, clock.seconds())));
  } else {
    fmt::print("{}", to_text(arguments, ecg, clock.seconds()));
  }
}

}  // namespace

void add_ecg_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("ecg", "Compute an electrocardiogram: the potentials of electrodes and the twelve leads");
  const auto arguments = std::make_shared<EcgArguments>();
  command
      ->add_option("file", arguments->path,
                   "A file with electrodes from weft run ecg --source solve; or, with --field, any file of steps and "
                   "nodes that has a mesh (or use --mesh)")
      ->required();
  CLI::Option* field = command->add_option(
      "--field", arguments->field,
      "The transmembrane potential, NAME or NAME:COMPONENT, for a pseudo-ECG at electrodes around the heart");
  CLI::Option* electrodes = command->add_option(
      "--electrode", arguments->electrodes,
      "An electrode, NAME=X,Y,Z in the mesh's unit; may be repeated. RA, LA, LL and V1 to V6 give the twelve leads");
  field->needs(electrodes);
  electrodes->needs(field);
  command
      ->add_flag("--potential", arguments->potential,
                 "The field is the potential that electrodes measure; read it at the node nearest to each electrode")
      ->needs(field);
  command->add_option("--mesh", arguments->mesh, "A .vtu mesh, if the file has none")->needs(field);
  command->add_option("--diffusivity", arguments->diffusivity, "The diffusivity D, a factor of the pseudo-ECG")
      ->capture_default_str();
  command->add_option("--plot", arguments->plot, "Draw the ECG sheet (25 mm/s) into this .png, .svg or .pdf");
  CLI::Option* csv = command->add_flag("--csv", arguments->csv, "Print every step as CSV");
  command->add_flag("--json", arguments->json, "Print every step as JSON")->excludes(csv);
  command->footer(
      "Example:\n  weft ecg heart.h5 --plot ecg.png\n"
      "  weft ecg heart.h5 --field V --electrode LA=10,0,15 --electrode RA=-10,0,15 --csv");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace weft::cli
