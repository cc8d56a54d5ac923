#include "cli/reduce_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/json_text.hpp"
#include "cli/on_ranks.hpp"
#include "cli/opened_apart.hpp"
#include "cli/text_table.hpp"
#include "weft/reduce/file_reduction.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/progress.hpp"
#include "weft/survey/open_file.hpp"

namespace weft::cli {

namespace {

using nlohmann::json;

struct ReduceArguments {
  std::string path;
  std::string field;
  std::string quantities = "activation_time,peak,apd_90";
  double threshold = -30.0;
  std::uint64_t max_beats = 8;
  double fill = std::numeric_limits<double>::quiet_NaN();
  std::optional<std::uint64_t> origin;
  std::string mesh;
  std::string budget = "256MiB";
  std::string out;
  bool no_overwrite = false;
  bool take_over = false;
  bool json = false;
};

reduce::Reduction reduction_of(const ReduceArguments& arguments) {
  reduce::Reduction reduction;
  reduction.path = arguments.path;
  reduction.field = arguments.field;
  reduction.quantities = reduce::parse_quantities(arguments.quantities);
  reduction.settings = {arguments.threshold, arguments.max_beats, arguments.origin};
  reduction.mesh = arguments.mesh;
  reduction.fill = arguments.fill;
  reduction.budget_bytes = parse_bytes(arguments.budget);
  reduction.out = arguments.out;
  if (reduction.out.empty()) {
    reduction.out =
        std::filesystem::path(survey::named_file(arguments.path).path).replace_extension(".maps.h5").string();
  }
  reduction.take_over = arguments.take_over;
  if (arguments.no_overwrite) reduction.if_exists = storage::IfExists::fail;
  return reduction;
}

json to_json(const reduce::Reduction& reduction, const reduce::ReductionReport& report) {
  json maps = json::array();
  for (const reduce::MapSummary& map : report.maps) {
    maps.push_back({{"quantity", map.name},
                    {"row", map.row},
                    {"units", map.units},
                    {"values", map.values},
                    {"min", map.min},
                    {"max", map.max}});
  }
  return {{"file", reduction.path},
          {"field", report.field},
          {"out", reduction.out},
          {"nodes", report.nodes},
          {"steps", report.steps},
          {"threshold", reduction.settings.threshold},
          {"maps", maps},
          {"most_beats", report.most_beats},
          {"nodes_with_more_beats_than_rows", report.beyond_rows},
          {"seconds", report.seconds}};
}

std::string to_text(const reduce::Reduction& reduction, const reduce::ReductionReport& report) {
  std::string text =
      fmt::format("{}: {} of {} nodes over {} steps in {}\n\n", reduction.path, report.field,
                  format_count(report.nodes), format_count(report.steps), format_seconds(report.seconds));
  std::vector<std::vector<std::string>> rows{{"map", "beat", "nodes", "least", "greatest", "unit"}};
  for (const reduce::MapSummary& map : report.maps) {
    const auto known = std::find_if(reduction.quantities.begin(), reduction.quantities.end(),
                                    [&](const reduce::Quantity& quantity) { return quantity.name == map.name; });
    rows.push_back({map.name, known->per_beat() ? fmt::format("{}", map.row + 1) : "-", format_count(map.values),
                    fmt::format("{:.6g}", map.min), fmt::format("{:.6g}", map.max),
                    map.units.empty() ? "-" : map.units});
  }
  text += rows.size() > 1 ? text_table(rows, 1) : "no node has a value\n";
  if (report.beyond_rows > 0) {
    text += fmt::format("\n{} nodes have more beats than rows (up to {}): --max-beats {}\n",
                        format_count(report.beyond_rows), report.most_beats, report.most_beats);
  }
  text += fmt::format("\nmaps in {}: weft inspect {}\n", reduction.out, reduction.out);
  return text;
}

void run(const ReduceArguments& arguments, Communicator& comm) {
  std::optional<reduce::Reduction> reduction;
  try {
    reduction = reduction_of(arguments);
  } catch (const Error& error) {
    throw error.agreed();  // every rank has the same command line
  }
  const CrashLine crash_line = reading_crash_line(arguments.path);
  Progress progress("reducing", "part", 1000, comm.rank() == 0);
  reduction->progress = [&](std::uint64_t done, std::uint64_t of) { progress.update(done * 1000 / of); };
  const reduce::ReductionReport report = reduce::reduce_file(comm, *reduction);
  if (comm.rank() != 0) return;
  if (arguments.json) {
    fmt::print("{}\n", json_text(to_json(*reduction, report)));
  } else {
    fmt::print("{}", to_text(*reduction, report));
  }
}

}  // namespace

void add_reduce_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("reduce", "Compute quantities over time for every node of a field: maps");
  const auto arguments = std::make_shared<ReduceArguments>();
  command->add_option("file", arguments->path, "A Weft file, or any HDF5 file of steps and nodes")->required();
  command->add_option("--field", arguments->field, "The field, NAME or NAME:COMPONENT [the only one]");
  command
      ->add_option("--quantity", arguments->quantities, "Quantities separated by commas: " + reduce::quantity_names())
      ->capture_default_str();
  command->add_option("--threshold", arguments->threshold, "The threshold of beats and of first_crossing")
      ->capture_default_str();
  command->add_option("--max-beats", arguments->max_beats, "The largest number of beats in a map")
      ->capture_default_str();
  command->add_option("--fill", arguments->fill, "The value of nodes that have none [NaN]");
  command->add_option("--origin", arguments->origin, "The node from which conduction velocities are measured");
  command->add_option("--mesh", arguments->mesh, "A .vtu mesh for conduction velocities, if the file has none");
  command->add_option("--budget", arguments->budget, "The memory each rank may use")->capture_default_str();
  command->add_option("-o,--out", arguments->out, "The file of the maps [FILE.maps.h5]");
  command->add_flag("--no-overwrite", arguments->no_overwrite, "Fail if the output file exists");
  command->add_flag("--take-over", arguments->take_over,
                    "Break the lock of a writer of the output file on another machine; use it only if you know that "
                    "this writer has died");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer("Example:\n  mpirun -n 2 weft reduce heart.h5 --field V --quantity activation_time,apd_90");
  command->callback([arguments] {
    // Of many ranks none tries: the file would be opened by all of them.
    if (!is_launched()) try_to_open(arguments->path, {}, "");
    on_ranks([&](Communicator& comm) { run(*arguments, comm); });
  });
}

}  // namespace weft::cli
