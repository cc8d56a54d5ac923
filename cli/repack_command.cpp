#include "cli/repack_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "cli/import_command.hpp"
#include "cli/interruption.hpp"
#include "cli/json_text.hpp"
#include "cli/on_ranks.hpp"
#include "cli/text_table.hpp"
#include "weft/repack/repack.hpp"
#include "weft/repack/series_import.hpp"
#include "weft/repack/side_effects.hpp"
#include "weft/repack/target_file.hpp"
#include "weft/storage/chunk_codec.hpp"
#include "weft/storage/metadata_change.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/crash_line.hpp"
#include "weft/support/own_process.hpp"
#include "weft/support/progress.hpp"

namespace weft::cli {

namespace {

using nlohmann::json;

struct RepackArguments {
  std::string in;
  std::string out;
  bool in_place = false;
  bool overwrite = false;
  bool take_over = false;
  std::vector<std::string> datasets;
  std::string axes;
  std::string reads = "snapshot=1,trace=1";
  std::uint64_t ranks = 0;
  std::string target = "1MiB";
  std::string latency = "1ms";
  std::string bandwidth = "1GB/s";
  std::string filter = "keep";
  std::string budget = "1GiB";
  int jobs = 0;
  bool checksums = false;
  std::string cloud;
  bool plan = false;
  bool json = false;
};

// How long HDF5 may be busy with one dataset that it copies as it is, in seconds of processor time.
constexpr double kComputeOnOneDataset = 120;

// What --cloud says without a size.
constexpr std::string_view kNoSize = "true";
// And what it says for a copy without pages.
constexpr std::string_view kNoPages = "none";

repack::RepackRequest request_of(const RepackArguments& arguments, int ranks) {
  repack::RepackRequest request;
  request.in = arguments.in;
  request.out = arguments.in_place ? arguments.in : arguments.out;
  if (arguments.in_place && !arguments.out.empty() && arguments.out != arguments.in) {
    throw Error(ErrorKind::usage, "--in-place", fmt::format("and {} exclude each other", arguments.out),
                "leave one of them out");
  }
  if (request.out.empty() && !arguments.plan) {
    throw Error(ErrorKind::usage, "weft repack", "needs a file to write", "name it, or use --in-place");
  }
  request.in_place = arguments.in_place;
  request.overwrite = arguments.overwrite;
  request.take_over = arguments.take_over;
  request.datasets = arguments.datasets;
  request.axes = arguments.axes;
  request.reads = arguments.reads;
  request.ranks_of_a_block = arguments.ranks;
  request.target_bytes = parse_bytes(arguments.target);
  request.access.latency_s = parse_seconds(arguments.latency);
  request.access.bandwidth = parse_rate(arguments.bandwidth);
  request.filter = arguments.filter;
  request.budget_bytes = parse_bytes(arguments.budget);
  if (arguments.jobs < 0) throw Error(ErrorKind::usage, fmt::format("--jobs {}", arguments.jobs), "is below 1");
  request.checksums = arguments.checksums;
  request.without_pages = arguments.cloud == kNoPages;
  if (!arguments.cloud.empty() && !request.without_pages) {
    request.page_bytes = arguments.cloud == kNoSize ? repack::kPagesThatSuit : parse_bytes(arguments.cloud);
  }
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  request.jobs = arguments.jobs > 0 ? arguments.jobs : std::max(1, cores / ranks);
  return request;
}

// What becomes worse.
std::vector<std::string> notes_of(const repack::RepackRequest& request, const repack::RepackPlan& plan,
                                  const std::optional<repack::RepackReport>& report) {
  std::vector<std::string> notes;
  const auto of_weft = [](const repack::Chosen& one) { return one.axes.convention == survey::Convention::weft; };
  if (repack::can_be_brought_over(request.in, false)) {
    notes.push_back(
        fmt::format("{} is of format 1, and its objects stay so; weft import {} OUT makes a series of format 2",
                    request.in, request.in));
  } else if (std::ranges::any_of(plan.chosen, of_weft)) {
    notes.push_back(
        fmt::format("a repacked series has no room for more steps; weft import {} OUT --filter FILTER makes "
                    "a new series, of the newest format",
                    request.in));
  }
  for (std::size_t i = 0; i < plan.chosen.size(); ++i) {
    for (std::string& line : repack::side_effects(plan.chosen[i], request)) notes.push_back(std::move(line));
    if (!report) continue;
    if (std::string line = repack::growth(plan.chosen[i], report->datasets[i]); !line.empty()) {
      notes.push_back(std::move(line));
    }
  }
  return notes;
}

std::string chunk_text(const survey::DatasetFacts& facts) {
  return facts.chunk.empty() ? std::string(survey::name_of(facts.storage)) : to_string(facts.chunk);
}

json to_json(const repack::RepackRequest& request, const repack::RepackPlan& plan,
             const std::optional<repack::RepackReport>& report) {
  json datasets = json::array();
  for (std::size_t i = 0; i < plan.chosen.size(); ++i) {
    const repack::Chosen& chosen = plan.chosen[i];
    json entry = {{"path", chosen.facts.path},
                  {"shape", chosen.facts.shape},
                  {"type", chosen.facts.type},
                  {"bytes", chosen.facts.logical_bytes()},
                  {"axes", layout::axis_names(chosen.axes.axes)},
                  {"axes_by", survey::name_of(chosen.axes.convention)},
                  {"storage", survey::name_of(chosen.facts.storage)},
                  {"chunk", chosen.facts.chunk},
                  {"filters", storage::to_text(chosen.facts.filters)},
                  {"new_chunk", chosen.chunk},
                  {"new_filters", storage::to_text(chosen.filters)},
                  {"region", chosen.plan.first.region},
                  {"spill_bytes", chosen.plan.spill_bytes}};
    if (report) {
      entry["stored_before"] = report->datasets[i].stored_before;
      entry["stored_after"] = report->datasets[i].stored_after;
      entry["seconds"] = report->datasets[i].seconds;
    }
    datasets.push_back(std::move(entry));
  }
  json result = {{"file", request.in},
                 {"out", request.out},
                 {"reads", request.reads},
                 {"bytes", plan.bytes()},
                 {"datasets", datasets},
                 {"kept", plan.kept_because},
                 {"notes", notes_of(request, plan, report)}};
  if (plan.page_bytes > 0) result["page_bytes"] = plan.page_bytes;
  if (report) {
    result["copied_datasets"] = report->copied_datasets;
    result["lost_references"] = report->lost_references;
    result["file_bytes_before"] = report->file_bytes_before;
    result["file_bytes_after"] = report->file_bytes_after;
    result["seconds"] = report->seconds;
  }
  return result;
}

std::string to_text(const repack::RepackRequest& request, const repack::RepackPlan& plan,
                    const std::optional<repack::RepackReport>& report) {
  std::vector<std::vector<std::string>> rows{{"dataset", "shape", "axes", "chunk", "new chunk", "filters", "stored"}};
  if (report) rows[0].insert(rows[0].end(), {"now", "time"});
  for (std::size_t i = 0; i < plan.chosen.size(); ++i) {
    const repack::Chosen& chosen = plan.chosen[i];
    const std::string before = storage::to_text(chosen.facts.filters);
    const std::string after = storage::to_text(chosen.filters);
    rows.push_back({chosen.facts.path, to_string(chosen.facts.shape), survey::to_text(chosen.axes),
                    chunk_text(chosen.facts), to_string(chosen.chunk),
                    before == after ? after : fmt::format("{} -> {}", before, after),
                    format_bytes(chosen.facts.stored_bytes)});
    if (report) {
      rows.back().push_back(format_bytes(report->datasets[i].stored_after));
      rows.back().push_back(format_seconds(report->datasets[i].seconds));
    }
  }
  std::string text = rows.size() > 1 ? text_table(rows, 3) : "no dataset is rechunked\n";
  for (const std::string& line : notes_of(request, plan, report)) text += fmt::format("note: {}\n", line);
  if (plan.page_bytes > 0) text += fmt::format("metadata in pages of {}\n", format_bytes(plan.page_bytes));
  for (const std::string& kept : plan.kept_because) text += fmt::format("copied unchanged: {}\n", kept);
  if (!report) {
    for (const repack::Chosen& chosen : plan.chosen) {
      text += fmt::format("{}: {}\n", chosen.facts.path, chosen.plan.describe());
    }
    return text;
  }
  if (report->lost_references > 0) {
    text += fmt::format("{} references to objects without a name are null now\n", report->lost_references);
  }
  // Holes cost nothing, so they are no part of the rate.
  double stored = 0;
  for (const repack::Chosen& chosen : plan.chosen) stored += static_cast<double>(chosen.facts.stored_elements_bytes());
  text += fmt::format("\n{} of elements in {} ({}/s), {} other datasets copied unchanged; {} was {}, {} is {}\n",
                      format_bytes(plan.bytes()), format_seconds(report->seconds),
                      format_bytes(static_cast<std::uint64_t>(stored / std::max(report->seconds, 1e-6))),
                      report->copied_datasets, request.in, format_bytes(report->file_bytes_before), request.out,
                      format_bytes(report->file_bytes_after));
  if (!request.in_place) text += fmt::format("\nto compare them: weft verify {} {}\n", request.in, request.out);
  return text;
}

std::string text_of(const RepackArguments& arguments, const repack::RepackRequest& request,
                    const repack::RepackPlan& plan, const std::optional<repack::RepackReport>& report) {
  // Names of datasets are bytes: what is no UTF-8 among them is shown as such.
  return arguments.json ? json_text(to_json(request, plan, report)) + "\n" : to_text(request, plan, report);
}

// A damaged file can take HDF5 down: without ranks all of the work is done in a process that may go with it.
void run_alone(const RepackArguments& arguments) {
  repack::RepackRequest request = request_of(arguments, 1);
  if (!arguments.plan) listen_for_interruption();
  OwnProcessLimits limits;
  limits.compute_without_a_word = kComputeOnOneDataset;
  limits.stop = interrupted;
  const auto work = [&](OwnProcess& self) {
    self.phase("looking at datasets", "dataset", 0);
    if (arguments.plan) return text_of(arguments, request, repack::plan_repack(request), std::nullopt);
    request.planned = [&](const repack::RepackPlan& plan) { self.phase("repacking", "", plan.bytes()); };
    request.progress = [&](std::uint64_t done, std::uint64_t) { self.done(done); };
    request.announce = [&](const std::string& line) { self.say("weft: " + line); };
    request.stopped = [&] {
      self.alive();
      return self.stopped();
    };
    SelfCommunicator comm;
    const repack::RepackReport report = repack::repack(comm, request);
    return text_of(arguments, request, report.plan, report);
  };
  try {
    fmt::print("{}", in_own_process(arguments.in, true, work, limits));
  } catch (const Error& error) {
    // Of a process that died its own clearing up is not done.
    if (!arguments.plan && error.kind() != ErrorKind::usage) repack::remove_what_died(request.out);
    throw;
  }
}

void run_on_ranks(const RepackArguments& arguments, Communicator& comm) {
  std::optional<repack::RepackRequest> request;
  try {
    request = request_of(arguments, comm.size());
  } catch (const Error& error) {
    throw error.agreed();  // every rank has the same command line
  }
  // The plan is tried before in a process of its own; what HDF5 makes of the rest is seen here.
  const Error crashed(ErrorKind::data, arguments.in, "is damaged: HDF5 crashed on it, and nothing is written",
                      fmt::format("see what is left of it: weft verify {}", arguments.in));
  const Error loops(
      ErrorKind::data, arguments.in,
      fmt::format("is damaged: HDF5 did not finish with it in {:.0f} s, and nothing is written", kComputeOnOneDataset),
      fmt::format("see what is left of it: weft verify {}", arguments.in));
  CrashLine last_words(fmt::format("weft: error: {}", crashed.what()), fmt::format("weft: error: {}", loops.what()),
                       crashed.exit_code());
  request->makes = [&](const std::vector<std::string>& files) { last_words.removes(files); };
  std::string text;
  if (arguments.plan) {
    agree_on(comm, [&] { text = text_of(arguments, *request, repack::plan_repack(*request), std::nullopt); });
  } else {
    std::optional<Progress> progress;
    request->planned = [&](const repack::RepackPlan& plan) {
      progress.emplace("repacking", "", plan.bytes(), comm.rank() == 0);
    };
    request->progress = [&](std::uint64_t done, std::uint64_t) { progress->update(done); };
    request->announce = [](const std::string& line) { fmt::print(stderr, "weft: {}\n", line); };
    request->working = [&](bool working) { last_words.allow(working ? kComputeOnOneDataset : 0); };
    request->stopped = [&] {
      last_words.allow(kComputeOnOneDataset);
      return interrupted();
    };
    listen_for_interruption();
    const repack::RepackReport report = repack::repack(comm, *request);
    text = text_of(arguments, *request, report.plan, report);
  }
  if (comm.rank() == 0) fmt::print("{}", text);
}

// A series of format 1 becomes one of format 2, which all readers read: its steps are written anew, and not its objects
// copied. Not where something is asked for that is of objects: those keep the format.
bool is_brought_over(const RepackArguments& arguments) {
  if (arguments.out.empty() || arguments.in_place || arguments.plan || arguments.checksums || arguments.ranks > 0 ||
      arguments.jobs > 0 || !arguments.datasets.empty() || !arguments.axes.empty() || !arguments.cloud.empty()) {
    return false;
  }
  const bool keeps_filters = arguments.filter == "keep";
  const auto look = [&](OwnProcess&) {
    return std::string(repack::can_be_brought_over(arguments.in, keeps_filters) ? "yes" : "");
  };
  return !in_own_process(arguments.in, false, look).empty();
}

void bring_over(const RepackArguments& arguments) {
  ImportArguments import;
  import.in = arguments.in;
  import.out = arguments.out;
  import.reads = arguments.reads;
  import.target = arguments.target;
  import.latency = arguments.latency;
  import.bandwidth = arguments.bandwidth;
  if (arguments.filter != "keep" && arguments.filter != "none") import.filter = arguments.filter;
  import.budget = arguments.budget;
  import.overwrite = arguments.overwrite;
  import.take_over = arguments.take_over;
  import.json = arguments.json;
  import_file(import);
}

void run(const RepackArguments& arguments) {
  if (is_brought_over(arguments)) return bring_over(arguments);
  if (!is_launched()) return run_alone(arguments);
  // Before there is MPI: what HDF5 makes of the file's metadata, where that may go wrong.
  // A change that was cut short is undone by whoever has the lock.
  const repack::RepackRequest request = request_of(arguments, 1);
  if (!arguments.in_place || !storage::metadata_leftovers(arguments.in).undo) {
    in_own_process(arguments.in, false, [&](OwnProcess&) {
      repack::plan_repack(request);
      return std::string();
    });
  }
  on_ranks([&](Communicator& comm) { run_on_ranks(arguments, comm); });
}

}  // namespace

void add_repack_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("repack", "Rewrite an HDF5 file with chunks that suit its reads");
  const auto arguments = std::make_shared<RepackArguments>();
  command->add_option("in", arguments->in, "Any HDF5 file")->required();
  command->add_option("out", arguments->out, "The output file");
  command
      ->add_option("--read", arguments->reads,
                   "The reads to plan for and their weights: snapshot, trace, block, plane, box[..]")
      ->capture_default_str();
  command->add_option("--ranks", arguments->ranks, "The number of ranks that share the nodes, for block");
  command->add_option("--target", arguments->target, "The largest size of a chunk")->capture_default_str();
  command->add_option("--latency", arguments->latency, "The time of one request on the file system of the readers")
      ->capture_default_str();
  command->add_option("--bandwidth", arguments->bandwidth, "The bandwidth of that file system")->capture_default_str();
  command->add_option("--dataset", arguments->datasets, "A dataset to rechunk; may be repeated [all that have steps]")
      ->allow_extra_args(false);
  command->add_option("--axes", arguments->axes, "The axes of these datasets: step,node,component [as recognised]");
  command
      ->add_option("--filter", arguments->filter,
                   fmt::format("keep (the filters of the file), {}", storage::filter_words()))
      ->capture_default_str();
  command->add_option("--budget", arguments->budget, "The memory each rank may use")->capture_default_str();
  command->add_option("--jobs", arguments->jobs, "The number of threads on each rank [one for each core]");
  command->add_flag("--checksums", arguments->checksums, "Store a checksum of every chunk, for weft verify");
  command->add_flag(
      "--cloud", arguments->cloud,
      "For object stores: metadata in pages of their own at the front; --cloud=4MiB: of this size; --cloud=none: "
      "no pages, though IN has them");
  command->add_flag("--in-place", arguments->in_place,
                    "Replace the file itself after the new one is complete and on the disk");
  command->add_flag("--overwrite", arguments->overwrite, "Replace OUT if it exists");
  command->add_flag(
      "--take-over", arguments->take_over,
      "Break the lock of a writer of OUT on another machine; use it only if you know that this writer has died");
  command->add_flag("--plan", arguments->plan, "Print what would be done and write nothing");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer("Example:\n  weft repack results.h5 quick.h5 --read snapshot=1,trace=4 --filter shuffle+deflate");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace weft::cli
