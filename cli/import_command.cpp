#include "cli/import_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/interruption.hpp"
#include "cli/json_text.hpp"
#include "cli/on_ranks.hpp"
#include "cli/opened_apart.hpp"
#include "cli/text_table.hpp"
#include "weft/repack/series_import.hpp"
#include "weft/storage/chunk_codec.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/progress.hpp"
#include "weft/support/shell_word.hpp"

namespace weft::cli {

namespace {

using nlohmann::json;

repack::ImportRequest request_of(const ImportArguments& arguments) {
  repack::ImportRequest request;
  request.from = arguments.in;
  request.out = arguments.out;
  request.fields = arguments.fields;
  request.choice.axes = arguments.axes;
  if (!arguments.time.empty()) request.choice.time = arguments.time;
  request.mesh = arguments.mesh;
  request.layout.reads = arguments.reads;
  request.layout.target_bytes = parse_bytes(arguments.target);
  request.layout.access.latency_s = parse_seconds(arguments.latency);
  request.layout.access.bandwidth = parse_rate(arguments.bandwidth);
  request.filters = arguments.filter;
  request.budget_bytes = parse_bytes(arguments.budget);
  if (arguments.overwrite) request.if_exists = storage::IfExists::replace;
  request.take_over = arguments.take_over;
  return request;
}

void print(const ImportArguments& arguments, const repack::ImportReport& report, int ranks) {
  if (arguments.json) {
    const json result = {{"file", arguments.in},          {"out", arguments.out},
                         {"fields", report.fields},       {"left_out", report.left_out},
                         {"not_shown", report.not_shown}, {"steps", report.steps},
                         {"bytes", report.bytes},         {"ranks", ranks},
                         {"seconds", report.seconds}};
    fmt::print("{}\n", json_text(result));
    return;
  }
  fmt::print("{}: {} steps of {}, {} in {}\n", arguments.out, format_count(report.steps),
             fmt::join(report.fields, ", "), format_bytes(report.bytes), format_seconds(report.seconds));
  fmt::print("{}{}", listed("left out", report.left_out), listed("not shown", report.not_shown));
  fmt::print("Next: weft info {}\n", quoted(arguments.out));
}

void run(const ImportArguments& arguments, Communicator& comm) {
  std::optional<repack::ImportRequest> request;
  try {
    request = request_of(arguments);
  } catch (const Error& error) {
    throw error.agreed();  // every rank has the same command line
  }
  const CrashLine crash_line = reading_crash_line(arguments.in);
  std::optional<Progress> progress;
  request->progress = [&](std::uint64_t done, std::uint64_t of) {
    if (!progress) progress.emplace("importing", "step", of, comm.rank() == 0);
    progress->update(done);
  };
  request->stopped = interrupted;
  listen_for_interruption();
  const repack::ImportReport report = repack::import_series(comm, *request);
  if (comm.rank() == 0) print(arguments, report, comm.size());
}

}  // namespace

void import_file(const ImportArguments& arguments) {
  // Of many ranks none tries: the file would be opened by all of them.
  if (!is_launched()) try_to_open(arguments.in, request_of(arguments).choice, "");
  on_ranks([&](Communicator& comm) { run(arguments, comm); });
}

void add_import_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("import", "Copy any file of steps into a Weft series, with its grid or mesh");
  const auto arguments = std::make_shared<ImportArguments>();
  command->add_option("in", arguments->in, "The file, or FILE:DATASET")->required();
  command->add_option("out", arguments->out, "The output file")->required();
  command->add_option("--field", arguments->fields, "Names separated by commas [all that have the same steps]")
      ->delimiter(',');
  command->add_option("--axes", arguments->axes,
                      "What the axes are, as in z,y,x,time [as the file's convention has it]");
  command->add_option("--time", arguments->time, "The dataset that holds the times [as the file's convention says]");
  command->add_option("--mesh", arguments->mesh, "The mesh of these nodes, as a .vtu file [the file's own]");
  command->add_option("--read", arguments->reads, "The reads to plan for and their weights, as in weft layout")
      ->capture_default_str();
  command->add_option("--target", arguments->target, "The largest size of a chunk")->capture_default_str();
  command->add_option("--latency", arguments->latency, "The time of one request on the file system of the readers")
      ->capture_default_str();
  command->add_option("--bandwidth", arguments->bandwidth, "The bandwidth of that file system")->capture_default_str();
  command->add_option("--filter", arguments->filter,
                      "Compress the chunks: " + storage::filter_words() + "; bitround:N+.. rounds to N bits before");
  command->add_option("--budget", arguments->budget, "The memory each rank may use")->capture_default_str();
  command->add_flag("--overwrite", arguments->overwrite, "Replace OUT if it exists");
  command->add_flag(
      "--take-over", arguments->take_over,
      "Break the lock of a writer of OUT on another machine; use it only if you know that this writer has died");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  weft import laser.h5 laser.weft.h5\n"
      "  mpirun -n 4 weft import ocean.nc ocean.h5 --field temp,salt --read trace=4,snapshot=1\n"
      "  weft import results.h5:/Data heart.h5 --mesh heart.vtu\n"
      "  weft import old.h5 new.h5 --filter shuffle+deflate:1");
  command->callback([arguments] { import_file(*arguments); });
}

}  // namespace weft::cli
