#include "cli/convert_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

#include "cli/interruption.hpp"
#include "cli/json_text.hpp"
#include "cli/on_ranks.hpp"
#include "cli/opened_apart.hpp"
#include "cli/text_table.hpp"
#include "kernels/mhm/folder_source.hpp"
#include "weft/convert/conversion.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/progress.hpp"

namespace weft::cli {

namespace {

using nlohmann::json;

struct ConvertArguments {
  std::string path;
  std::string to;
  std::string steps;
  std::vector<std::string> fields;
  std::string out;
  int level = 0;
  std::string precision = "keep";
  std::string budget = "256MiB";
  std::string mesh;
  std::string dataset;
  std::string axes;
  std::string time;
  bool no_overwrite = false;
  bool take_over = false;
  bool json = false;
};

convert::Precision parse_precision(const std::string& word) {
  if (word == "keep") return convert::Precision::keep;
  if (word == "float32") return convert::Precision::float32;
  throw Error(ErrorKind::usage, fmt::format("--precision {}", word), "is not a precision", "there are keep, float32");
}

convert::Conversion conversion_of(const ConvertArguments& arguments) {
  convert::Conversion conversion;
  conversion.file = {arguments.path, {arguments.dataset, std::nullopt, arguments.axes}, arguments.mesh};
  if (!arguments.time.empty()) conversion.file.choice.time = arguments.time;
  conversion.to = convert::parse_format(arguments.to);
  conversion.steps = arguments.steps;
  conversion.fields = arguments.fields;
  conversion.out = arguments.out;
  conversion.take_over = arguments.take_over;
  if (arguments.no_overwrite) conversion.if_exists = storage::IfExists::fail;
  conversion.level = arguments.level;
  conversion.precision = parse_precision(arguments.precision);
  conversion.budget_bytes = parse_bytes(arguments.budget);
  return conversion;
}

json to_json(const convert::Conversion& conversion, const convert::ConversionReport& report, int ranks) {
  return {{"file", conversion.file.path},
          {"to", convert::name_of(conversion.to)},
          {"out", report.out},
          {"further", report.further},
          {"files", report.files},
          {"steps", report.steps},
          {"ranks", ranks},
          {"bytes", report.bytes},
          {"seconds", report.seconds},
          {"left_out", report.left_out}};
}

std::string to_text(const convert::Conversion& conversion, const convert::ConversionReport& report) {
  std::string text =
      fmt::format("{}: {} steps to {}, {} in {} files, in {}\n", conversion.file.path, format_count(report.steps),
                  convert::name_of(conversion.to), format_bytes(report.bytes), format_count(report.files),
                  format_seconds(report.seconds));
  text += listed("left out", report.left_out) + listed("further", report.further);
  switch (conversion.to) {
    case convert::Format::vtu: return text + fmt::format("open it: paraview {}\n", report.out);
    case convert::Format::tecplot: return text + fmt::format("open it: tec360 {}\n", report.out);
    case convert::Format::csv: return text + fmt::format("look at it: head {}\n", report.out);
  }
  return text;
}

// A file of steps, or a folder of weft run mhm.
convert::ConversionReport convert_any(Communicator& comm, const convert::Conversion& conversion) {
  if (!std::filesystem::is_directory(conversion.file.path)) return convert::convert_file(comm, conversion);
  const auto folder = kernels::mhm::open_folder(comm, conversion.file.path, conversion.fields);
  return convert::convert_source(comm, conversion, *folder);
}

void run(const ConvertArguments& arguments, Communicator& comm) {
  std::optional<convert::Conversion> conversion;
  try {
    conversion = conversion_of(arguments);
  } catch (const Error& error) {
    throw error.agreed();  // every rank has the same command line
  }
  const CrashLine crash_line = reading_crash_line(arguments.path);
  Progress progress("converting", "part", 1000, comm.rank() == 0);
  conversion->progress = [&](std::uint64_t done, std::uint64_t of) {
    progress.update(done * 1000 / of);
    if (!interrupted() || done == of) return;
    throw Error(ErrorKind::system, arguments.path, "its conversion was interrupted", "what is there is whole");
  };
  listen_for_interruption();
  const convert::ConversionReport report = convert_any(comm, *conversion);
  if (comm.rank() != 0) return;
  if (arguments.json) {
    fmt::print("{}\n", json_text(to_json(*conversion, report, comm.size())));
  } else {
    fmt::print("{}", to_text(*conversion, report));
  }
}

}  // namespace

void add_convert_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("convert", "Copy steps into files of another format");
  const auto arguments = std::make_shared<ConvertArguments>();
  command
      ->add_option("file", arguments->path,
                   "The file, or a folder of weft run mhm; if its run did not end, the committed steps are converted")
      ->required();
  command
      ->add_option("--to", arguments->to, "The format: vtu (.vti for a regular grid), tecplot (one binary .plt) or csv")
      ->required();
  command->add_option("--steps", arguments->steps, "The steps, START:STOP:STEP as in Python [all]");
  command->add_option("--fields", arguments->fields, "Names separated by commas [all]")->delimiter(',');
  command->add_option("-o,--out", arguments->out,
                      "The output folder, or the output file for Tecplot [FILE_vtu, FILE_csv or FILE.plt]");
  command->add_flag("--no-overwrite", arguments->no_overwrite,
                    "Fail if the output folder has files or the output file exists");
  command->add_flag(
      "--take-over", arguments->take_over,
      "Break the lock of a conversion on another machine; use it only if you know that this conversion has died");
  command->add_option("--compress", arguments->level, "The level of zlib for vtu, from 1 (fast) to 9 (small)");
  command->add_option("--precision", arguments->precision, "keep, or float32 to halve float64 values")
      ->capture_default_str();
  command->add_option("--budget", arguments->budget, "The memory each rank may use")->capture_default_str();
  const char* foreign = "If the file does not say it";
  for (const auto& [name, value, help] :
       {std::tuple{"--mesh", &arguments->mesh, "The mesh, as a .vtu file"},
        std::tuple{"--dataset", &arguments->dataset, "The dataset, for example /Data"},
        std::tuple{"--axes", &arguments->axes,
                   "The axes in order: step,node,component [as the file's convention says]"},
        std::tuple{"--time", &arguments->time, "The dataset that holds the times [as the file's convention says]"}}) {
    command->add_option(name, *value, help)->group(foreign);
  }
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(
      "Example:\n  mpirun -n 2 weft convert heart.h5 --to vtu --steps ::10 --out heart && paraview heart/heart.pvd\n"
      "  weft convert results.h5 --to tecplot --dataset /Data --mesh heart.vtu\n"
      "  weft convert flow --to vtu");
  command->callback([arguments] {
    // Of many ranks none tries: the file would be opened by all of them.
    if (!is_launched() && !std::filesystem::is_directory(arguments->path)) {
      try_to_open(arguments->path, conversion_of(*arguments).file.choice, "");
    }
    on_ranks([&](Communicator& comm) { run(*arguments, comm); });
  });
}

}  // namespace weft::cli
