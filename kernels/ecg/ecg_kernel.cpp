#include "kernels/ecg/ecg_kernel.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "kernels/ecg/checkpoint.hpp"
#include "kernels/ecg/source_writer.hpp"
#include "kernels/ecg/step_source.hpp"
#include "kernels/io/rank_accounts.hpp"
#include "kernels/io/read_back.hpp"
#include "kernels/io/series_output.hpp"
#include "kernels/io/yardstick.hpp"
#include "weft/reading/series_reader.hpp"
#include "weft/series/spec_words.hpp"
#include "weft/storage/series_changes.hpp"
#include "weft/storage/take_file.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/progress.hpp"
#include "weft/support/stopwatch.hpp"

namespace weft::kernels::ecg {

namespace {

// What is not writing; that is in the account (kernels/io/rank_accounts.hpp).
struct Seconds {
  double source = 0;
  double compute = 0;
  double checkpoints = 0;
  double run = 0;
};

std::unique_ptr<StepSource> make_source(MpiCommunicator& comm, const EcgOptions& options) {
  const Dealing dealing = parse_dealing(options.ownership);
  if (options.source == "synthetic") {
    return synthetic_source(comm, options.nodes.value_or(kSyntheticNodes), options.steps.value_or(kSyntheticSteps),
                            options.joint, options.mesh, dealing);
  }
  if (options.source == "solve") {
    return solve_source(comm.handle(), options.solve, options.nodes, options.joint, options.mesh);
  }
  if (options.source == "replay") {
    if (options.from.empty()) {
      throw Error(ErrorKind::usage, "--source replay", "no input file is named", "add --from FILE[:DATASET]").agreed();
    }
    return replay_source(comm, options.from, options.nodes, options.steps, options.mesh, dealing);
  }
  throw Error(ErrorKind::usage, "--source " + options.source, "is not known", "use synthetic, replay or solve")
      .agreed();
}

// The step a restarted run goes on with, if there is a checkpoint.
std::optional<std::uint64_t> find_checkpoint(MpiCommunicator& comm, StepSource& source, const EcgOptions& options) {
  const bool wanted = options.checkpoint_every > 0 || options.restart;
  if (wanted && source.state().empty()) {
    throw Error(ErrorKind::usage, "--checkpoint-every and --restart",
                fmt::format("source {} has no state to keep", options.source), "use them with --source solve")
        .agreed();
  }
  if (!options.restart) return std::nullopt;
  const std::optional<std::uint64_t> step = load_checkpoint(comm.handle(), checkpoint_path(options.out), source);
  return step ? std::optional(*step + 1) : std::nullopt;
}

// Where a run has begun anew, a checkpoint of an earlier one must not outlive the steps it belonged to.
void forget_checkpoint(MpiCommunicator& comm, const EcgOptions& options) {
  agree_on(comm, [&] {
    if (comm.rank() == 0) std::filesystem::remove(checkpoint_path(options.out));
  });
}

// A run that is restarted has the fields of its file, and does not end before it: the steps behind its end would be
// dropped, and not be computed again.
void check_goes_on(MpiCommunicator& comm, StepSource& source, const EcgOptions& options) {
  agree_on(comm, [&] {
    // A kill may have left a change half done; the lock is given back at once, and had again for writing.
    if (comm.rank() == 0) storage::take_file(options.out, {"weft run ecg", options.writer.take_over});
  });
  const SeriesReader reader = SeriesReader::open(comm, options.out);
  const bool joint = reader.catalog().find_field("Data").has_value();
  if (joint != options.joint) {
    const char* const fields = joint ? "joint" : "separate";
    throw Error(ErrorKind::usage, options.out, fmt::format("was written with {} fields", fields),
                fmt::format("restart with --fields {}, or start again without --restart", fields))
        .agreed();
  }
  if (source.steps() < reader.committed()) {
    const double end = source.time_of(reader.committed() - 1);
    throw Error(
        ErrorKind::usage, options.out,
        fmt::format("has {} steps, up to {:.12g} ms, of which {} would stay", reader.committed(), end, source.steps()),
        fmt::format("restart with --duration {:.12g}ms or more, or start again without --restart", end))
        .agreed();
  }
}

std::shared_ptr<reduce::RunReduction> make_reduction(Communicator& comm, const EcgOptions& options) {
  std::shared_ptr<reduce::RunReduction> reduction;
  if (options.reduction)
    agree_on(comm, [&] { reduction = std::make_shared<reduce::RunReduction>(*options.reduction); });
  return reduction;
}

nlohmann::json reduction_json(const EcgOptions& options, const reduce::RunReductionReport& report) {
  nlohmann::json names = nlohmann::json::array();
  for (const reduce::Quantity& quantity : options.reduction->quantities) names.push_back(quantity.name);
  return {{"field", options.reduction->field},
          {"quantities", names},
          {"maps", report.folder},
          {"nodes", report.nodes},
          {"nodes_from_file", report.from_file},
          {"most_beats", report.most_beats},
          {"nodes_with_more_beats_than_rows", report.beyond_rows},
          {"seconds", {{"watching", report.watching_seconds}, {"finishing", report.finishing_seconds}}}};
}

// Maps in the file that this run did not go on with.
void add_maps_behind(nlohmann::json& report, const Communicator& comm, const SeriesWriter& writer,
                     std::uint64_t steps) {
  if (comm.rank() != 0) return;
  for (const storage::MapAge& map : storage::maps_behind(writer.catalog(), steps)) {
    report["maps_not_continued"].push_back({{"map", map.path}, {"steps", map.steps}});
  }
}

// Of this rank, so far.
std::string compression_text(const series::WriteCounters& counters) {
  const auto before = static_cast<double>(counters.unfiltered_bytes);
  if (before == 0) return "";
  return fmt::format(", compressed to {:.0f} %", 100 * static_cast<double>(counters.filtered_bytes) / before);
}

void write_steps(MPI_Comm comm, SeriesOutput& output, StepSource& source, const EcgOptions& options, int rank,
                 Seconds& seconds) {
  Progress progress("writing", "step", source.steps(), options.progress && rank == 0);
  for (std::uint64_t step = output.writer().next_step(); step < source.steps(); ++step) {
    const double made_before = seconds.source;
    for (std::size_t f = 0; f < source.fields().size(); ++f) {
      const SourceField& field = source.fields()[f];
      const auto values = timed(seconds.source, [&] { return source.values(f, step); });
      output.put_bytes(field.name, field.type, values);
    }
    const double pause = options.compute_seconds - (seconds.source - made_before);
    if (pause > 0) {
      timed(seconds.compute, [&] { std::this_thread::sleep_for(std::chrono::duration<double>(pause)); });
    }
    output.end_step(source.time_of(step));
    if (options.checkpoint_every > 0 && (step + 1) % options.checkpoint_every == 0) {
      timed(seconds.checkpoints, [&] {
        output.writer().flush();
        save_checkpoint(comm, checkpoint_path(options.out), step, source, options.writer.sync);
      });
    }
    progress.update(step + 1, compression_text(output.writer().counters()));
  }
}

nlohmann::json counters_json(Communicator& comm, const series::WriteCounters& counters) {
  const auto sum = [&](std::uint64_t value) { return comm.sum(value); };
  const auto& system = counters.syscall;
  return {
      {"app",
       {{"windows", comm.max(counters.windows)},
        {"writing_ranks", sum(counters.app_writes > 0 ? 1 : 0)},
        {"writes", sum(counters.app_writes)},
        {"bytes_written", sum(counters.app_bytes)},
        {"slot_writes", sum(counters.app_slot_writes)}}},
      {"mpi",
       {{"messages", sum(counters.mpi_messages)},
        {"bytes_sent", sum(counters.mpi_bytes)},
        {"bytes_between_nodes", sum(counters.mpi_bytes_between_nodes)}}},
      {"hdf5",
       {{"collective_writes", comm.max(counters.hdf5_collective_writes)}, {"bytes_written", sum(counters.hdf5_bytes)}}},
      {"syscall",
       {{"opens", sum(system.opens)},
        {"closes", sum(system.closes)},
        {"reads", sum(system.reads)},
        {"writes", sum(system.writes)},
        {"seeks", sum(system.seeks)},
        {"syncs", sum(system.syncs)},
        {"writebacks", sum(system.writebacks)},
        {"bytes_read", sum(system.bytes_read)},
        {"bytes_written", sum(system.bytes_written)}}}};
}

// What every rank did, and whether that is what was planned.
void add_accounts(nlohmann::json& report, Communicator& comm, const Done& done, const std::optional<KernelPlan>& plan) {
  const nlohmann::ordered_json accounts = report_of(comm, done, [&](const std::vector<Done>& ranks) {
    Done all;
    for (const Done& rank : ranks) all += rank;
    const auto [least, most] = std::minmax_element(
        ranks.begin(), ranks.end(), [](const Done& one, const Done& other) { return one.bytes < other.bytes; });
    nlohmann::ordered_json made = {{"seconds_per_rank", seconds_per_rank(ranks)},
                                   {"latency", to_json(all.times.calls)},
                                   {"per_rank", {{"min_bytes", least->bytes}, {"max_bytes", most->bytes}}}};
    if (plan) {
      made["as_planned"] = all.app == plan->app && least->bytes == plan->min_bytes && most->bytes == plan->max_bytes;
      made["plan"] = to_json(*plan);
    }
    return made;
  });
  report.update(nlohmann::json(accounts));
}

std::uint64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // Linux counts in KiB
}

}  // namespace

nlohmann::json run_ecg(MPI_Comm mpi_comm, const EcgOptions& options) {
  MpiCommunicator comm(mpi_comm, options.mpi.count_limit);
  if (options.out.empty()) {
    throw Error(ErrorKind::usage, "weft run ecg", "no output file is named", "add --out FILE").agreed();
  }
  if (options.afterwards) {
    agree_on(comm, [&] { check_afterwards(*options.afterwards); });
  }
  const auto source = make_source(comm, options);
  if (options.afterwards && !source->mesh()) {
    throw Error(ErrorKind::usage, "--afterwards", "there is no mesh to convert the steps on",
                "leave out --mesh none, and replay a file of Weft's with a mesh")
        .agreed();
  }

  std::uint64_t step_bytes = 0;
  for (const SourceField& field : source->fields()) step_bytes += element_count(field.per_step) * size_of(field.type);
  std::uint64_t steps_written = source->steps();

  // Of a run that goes on with a file it is not known before how much it writes.
  const bool goes_on = options.append || options.restart;
  const bool synced = options.writer.sync != Sync::none;
  Yardstick yardstick(comm, options.out + ".yardstick", options.yardstick, goes_on);
  yardstick.before(step_bytes * steps_written, synced);
  if (options.yardstick) settle(comm, options.out);

  Seconds seconds;
  Done done;
  const Stopwatch clock;
  const std::shared_ptr<reduce::RunReduction> reduction = make_reduction(comm, options);
  const Observers observers(reduction ? 1 : 0, reduction);
  const std::optional<std::uint64_t> restart_step = find_checkpoint(comm, *source, options);
  if (restart_step) check_goes_on(comm, *source, options);
  SeriesOutput output(FileAccount{done.app, done.system, done.times},
                      [&] { return make_writer(mpi_comm, *source, options, observers, restart_step); });
  const SeriesWriter& writer = output.writer();
  if (!options.append && !restart_step) forget_checkpoint(comm, options);
  const std::uint64_t steps_before = writer.next_step();
  steps_written -= std::min(steps_written, steps_before);
  write_steps(mpi_comm, output, *source, options, comm.rank(), seconds);
  output.close();
  done.output = done.times.open + done.times.write + done.times.close;
  done.bytes = done.app.bytes();
  seconds.run = clock.seconds();

  nlohmann::json report = {
      {"kernel", "ecg"},
      {"source", options.source},
      {"strategy", name_of(options.mpi.strategy)},
      {"layout", std::string(series::name_of(options.layout.kind))},
      {"chunk", writer.catalog().segments[0].fields[1].chunk},
      {"ranks", comm.size()},
      {"steps", source->steps()},
      {"steps_before", steps_before},
      {"steps_written", steps_written},
      {"nodes", source->nodes()},
      {"bytes", step_bytes * steps_written},
      {"file", options.out},
      {"seconds",
       {{"output", slowest(comm, done.output)},
        {"drain", slowest(comm, done.times.close)},
        {"flush", static_cast<double>(comm.max(writer.counters().flush_nanoseconds)) / 1e9},
        {"source", slowest(comm, seconds.source)},
        {"compute", slowest(comm, seconds.compute)},
        {"checkpoints", slowest(comm, seconds.checkpoints)},
        {"run", slowest(comm, seconds.run)}}},
      {"counters", counters_json(comm, writer.counters())},
      {"peak_rss_bytes", comm.max(peak_rss_bytes())},
  };
  if (const std::uint64_t before = comm.sum(writer.counters().unfiltered_bytes); before > 0) {
    report["filtered"] = {{"filter", writer.catalog().fields.at(1).filter},
                          {"bytes", before},
                          {"stored_bytes", comm.sum(writer.counters().filtered_bytes)}};
  }
  if (options.restart) report["restarted_from_step"] = restart_step ? nlohmann::json(*restart_step) : nullptr;
  if (nlohmann::json said = source->report(); !said.is_null()) report["solve"] = std::move(said);
  if (reduction) report["reduction"] = reduction_json(options, reduction->report());
  if (options.append || restart_step) agree_on(comm, [&] { add_maps_behind(report, comm, writer, source->steps()); });
  std::optional<KernelPlan> plan;
  if (!goes_on && options.source != "solve") {
    agree_on(comm, [&] { plan = plan_ecg(options, static_cast<std::uint64_t>(comm.size())); });
  }
  add_accounts(report, comm, done, plan);
  if (steps_written > 0) yardstick.after(step_bytes * steps_written, synced);
  if (yardstick.seconds()) {
    report["seconds"]["raw"] = *yardstick.seconds();
    report["yardstick_first"] = yardstick.was_first();
  }
  if (options.read_back) report["read_back"] = read_back(comm, options.out);
  if (options.afterwards) {
    report["afterwards"] = do_afterwards(comm, options.out, *options.afterwards, options.progress);
  }
  return report;
}

}  // namespace weft::kernels::ecg
