#include "cli/view_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <tuple>

#include "cli/json_text.hpp"
#include "cli/opened_apart.hpp"
#include "cli/text_table.hpp"
#include "weft/support/amount.hpp"
#include "weft/view/view_beside.hpp"
#include "weft/view/view_file.hpp"
#include "weft/view/vtkhdf.hpp"

namespace weft::cli {

namespace {

using nlohmann::json;

struct ViewArguments {
  std::string path;
  std::string dataset;
  std::string axes;
  std::string time;
  std::string mesh;
  std::string out;
  bool no_overwrite = false;
  bool no_xdmf = false;
  bool take_over = false;
  bool plan = false;
  bool json = false;
};

json to_json(const view::ViewReport& report) {
  json blocks = json::array();
  const auto entry = [](const view::ViewField& field) {
    return json{{"name", field.name},
                {"on", storage::name_of(field.support)},
                {"dtype", name_of(field.type)},
                {"components", field.components},
                {"values", field.points}};
  };
  for (const view::Block& block : report.view.blocks) {
    json fields = json::array();
    for (const view::ViewField& field : block.fields) fields.push_back(entry(field));
    json described = {{"name", block.name}, {"fields", fields}};
    if (block.unstructured) {
      described["points"] = block.unstructured->points;
      described["cells"] = block.unstructured->cells;
    } else {
      described["grid"] = block.grid->shape;
    }
    blocks.push_back(described);
  }
  json globals = json::array();
  for (const view::ViewField& field : report.view.globals) globals.push_back(entry(field));
  return {{"file", report.path},
          {"xdmf", report.xdmf_path.empty() ? json(nullptr) : json(report.xdmf_path)},
          {"steps", report.view.steps},
          {"blocks", blocks},
          {"globals", globals},
          {"left_out", report.view.left_out},
          {"bytes_added", report.bytes_added},
          {"seconds", report.seconds}};
}

std::string to_text(const view::ViewReport& report) {
  std::string text =
      fmt::format("{}: {} steps in the view, {} added in {}\n", report.path, format_count(report.view.steps),
                  format_bytes(report.bytes_added), format_seconds(report.seconds));
  std::vector<std::vector<std::string>> rows{{"mesh", "field", "on", "values a step"}};
  const auto add = [&](const std::string& block, const view::ViewField& field) {
    const std::string values =
        format_count(field.points) + (field.components > 1 ? fmt::format(" x {}", field.components) : "");
    rows.push_back({block, field.name, std::string(storage::name_of(field.support)), values});
  };
  for (const view::Block& block : report.view.blocks) {
    for (const view::ViewField& field : block.fields) add(block.name, field);
  }
  for (const view::ViewField& field : report.view.globals) add("-", field);
  if (rows.size() > 1) text += "\n" + text_table(rows, 3) + "\n";
  for (const std::string& line : report.view.left_out) text += fmt::format("not shown: {}\n", line);
  text += fmt::format("open it: paraview {}   (choose the VTKHDF reader where it asks)\n", report.path);
  if (!report.xdmf_path.empty()) text += fmt::format("before ParaView 5.12: paraview {}\n", report.xdmf_path);
  return text;
}

view::BesideRequest beside_request(const ViewArguments& arguments) {
  view::BesideRequest request{
      arguments.path, {arguments.dataset, std::nullopt, arguments.axes}, arguments.mesh, arguments.out};
  if (!arguments.time.empty()) request.choice.time = arguments.time;
  return request;
}

void run(const ViewArguments& arguments) {
  view::ViewOptions options;
  options.xdmf = !arguments.no_xdmf;
  options.take_over = arguments.take_over;
  if (arguments.no_overwrite) options.if_exists = storage::IfExists::fail;
  // Into the file itself, or beside it.
  const bool told = !(arguments.dataset + arguments.mesh + arguments.axes + arguments.time + arguments.out).empty();
  const view::BesideRequest request = beside_request(arguments);
  const bool beside = try_to_open(arguments.path, request.choice, "") == FoundSeries::foreign || told;
  const CrashLine crash_line = reading_crash_line(arguments.path);
  const view::ViewReport report =
      beside ? view::view_beside(request, options) : view::view_weft_file(arguments.path, options);
  if (arguments.json) {
    fmt::print("{}\n", json_text(to_json(report)));
  } else {
    fmt::print("{}", to_text(report));
  }
  if (arguments.plan) fmt::print("{}", storage::describe(view::vtkhdf_objects(report.view)));
}

}  // namespace

void add_view_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("view", "Make a file open in ParaView and VTK without copying its fields");
  const auto arguments = std::make_shared<ViewArguments>();
  command->add_option("file", arguments->path, "The file; if its run did not end, the committed steps are shown")
      ->required();
  const char* foreign = "A file that Weft did not write, or another mesh (FILE.vtkhdf shows the data where they are)";
  command->add_option("--mesh", arguments->mesh, "The mesh, as a .vtu file")->group(foreign);
  command->add_option("--dataset", arguments->dataset, "The dataset, for example /Data")->group(foreign);
  for (const auto& [name, value, help] :
       {std::tuple{"--axes", &arguments->axes,
                   "The axes in order: step,node,component [as the file's convention says]"},
        std::tuple{"--time", &arguments->time, "The dataset that holds the times [as the file's convention says]"},
        std::tuple{"-o,--out", &arguments->out, "The output file [FILE.vtkhdf]"}}) {
    command->add_option(name, *value, help)->group(foreign);
  }
  command->add_flag("--no-overwrite", arguments->no_overwrite, "Fail if the output file exists")->group(foreign);
  command->add_flag("--no-xdmf", arguments->no_xdmf, "Write no FILE.xdmf beside it");
  command->add_flag("--take-over", arguments->take_over,
                    "Break the lock of a writer on another machine; use it only if you know that this writer has died");
  CLI::Option* as_json = command->add_flag("--json", arguments->json, "Print JSON");
  command->add_flag("--plan", arguments->plan, "Also print every HDF5 object of the view")->excludes(as_json);
  command->footer(
      "Example:\n  weft view heart.h5 && paraview heart.h5\n"
      "  weft view results.h5 --dataset /Data --axes step,node,component --time /Data_Unlimited --mesh heart.vtu");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace weft::cli
