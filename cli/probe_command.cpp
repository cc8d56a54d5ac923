#include "cli/probe_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cli/interruption.hpp"
#include "cli/json_text.hpp"
#include "cli/on_ranks.hpp"
#include "cli/text_table.hpp"
#include "stores/merged_profile.hpp"
#include "stores/probe.hpp"
#include "stores/scratch_folder.hpp"
#ifdef WEFT_HAVE_MPI
#include <mpi.h>

#include "predict/layers.hpp"
#include "weft/support/mpi_communicator.hpp"
#endif
#include "weft/support/amount.hpp"
#include "weft/support/progress.hpp"
#include "weft/support/shell_word.hpp"

namespace weft::cli {

namespace {

using stores::Access;
using stores::RequestCell;
using stores::Sharing;
using stores::StoreProfile;

struct ProbeArguments {
  std::string folder;
  std::vector<std::string> merge;
  stores::ProbeOptions options;
  std::string name;
  std::string out;
  bool no_layers = false;
  bool json = false;
};

std::string rate(double bytes_per_s) { return format_bytes(static_cast<std::uint64_t>(bytes_per_s)) + "/s"; }

const RequestCell* find(const StoreProfile& profile, const RequestCell& wanted) {
  for (const RequestCell& cell : profile.requests) {
    if (same_request(cell, wanted)) return &cell;
  }
  return nullptr;
}

// A line a size: what one rank's request takes, and how fast all ranks are in files of their own and in one file.
std::string table_of(const StoreProfile& profile, Access access) {
  const bool reads = access == Access::read;
  std::vector<std::string> head{reads ? "reads" : "writes", "request", "one rank"};
  if (reads) head.emplace_back("in memory");
  if (profile.ranks > 1) {
    for (const char* how : {"own files", "apart", "in turn"})
      head.push_back(fmt::format("{} ranks, {}", profile.ranks, how));
  }
  std::vector<std::vector<std::string>> rows{head};
  std::set<std::uint64_t> sizes;
  for (const RequestCell& cell : profile.requests) sizes.insert(cell.bytes);
  const auto speed = [](const RequestCell* cell) { return cell == nullptr ? "" : rate(cell->bytes_per_s); };
  for (const std::uint64_t bytes : sizes) {
    const RequestCell* one = find(profile, {access, Sharing::own_files, bytes});
    if (one == nullptr) continue;
    std::vector<std::string> row{bytes % 1024 == 0 ? format_bytes(bytes) : format_count(bytes) + " B",
                                 format_seconds(one->request_s), speed(one)};
    if (reads) row.push_back(speed(find(profile, {access, Sharing::own_files, bytes, 1, 1, true})));
    if (profile.ranks > 1) {
      for (const Sharing sharing : {Sharing::own_files, Sharing::apart, Sharing::in_turn}) {
        row.push_back(speed(find(profile, {access, sharing, bytes, profile.ranks})));
      }
    }
    rows.push_back(std::move(row));
  }
  return text_table(rows, 1);
}

std::string calls_of(const StoreProfile& profile) {
  std::vector<std::vector<std::string>> rows{{"calls", "one rank"}};
  if (profile.ranks > 1) rows[0].push_back(fmt::format("{} ranks", profile.ranks));
  for (const stores::CallCell& cell : profile.calls) {
    if (cell.ranks != 1) continue;
    std::vector<std::string> row{cell.call, format_seconds(cell.call_s)};
    for (const stores::CallCell& all : profile.calls) {
      if (profile.ranks > 1 && all.ranks == profile.ranks && all.call == cell.call) {
        row.push_back(fmt::format("{}/s", format_count(static_cast<std::uint64_t>(all.calls_per_s))));
      }
    }
    rows.push_back(std::move(row));
  }
  return text_table(rows, 1);
}

// What the numbers mean for whoever writes there.
std::string advice_of(const StoreProfile& profile, const std::string& saved) {
  const layout::AccessCost cost = profile.read_cost();
  std::string text = fmt::format("A read of a few bytes takes {}; beyond that, bytes come at {}.\n",
                                 format_seconds(cost.latency_s), rate(cost.bandwidth));
  if (profile.ranks > 1) {
    const int enough = profile.enough_writers();
    text += enough < profile.ranks ? fmt::format("{} of {} ranks write as fast as more do.\n", enough, profile.ranks)
                                   : fmt::format("All {} ranks together write fastest.\n", profile.ranks);
    const RequestCell* own = find(profile, {Access::write, Sharing::own_files, 512, profile.ranks});
    const RequestCell* turn = find(profile, {Access::write, Sharing::in_turn, 512, profile.ranks});
    if (own != nullptr && turn != nullptr) {
      text += fmt::format(
          "Small writes beside each other's in one file are {:.2g} times as fast as in files of their own.\n",
          turn->bytes_per_s / own->bytes_per_s);
    }
  }
  constexpr std::uint64_t kLong = 2ULL << 20;
  const RequestCell* direct = find(profile, {Access::write, Sharing::directly, kLong, profile.ranks});
  const Sharing cached_sharing = profile.ranks > 1 ? Sharing::apart : Sharing::own_files;
  const RequestCell* cached = find(profile, {Access::write, cached_sharing, kLong, profile.ranks});
  if (direct != nullptr && cached != nullptr) {
    text += fmt::format("A series' long writes pass by the client's cache: {} instead of {}.\n",
                        rate(direct->bytes_per_s), rate(cached->bytes_per_s));
  }
  if (profile.striping.bytes > 0) {
    text += fmt::format("A file is striped by {} over {} servers or objects.\n", format_bytes(profile.striping.bytes),
                        profile.striping.count);
  }
  const std::string store = saved.empty() ? fmt::format("--latency {:.3g}ms --bandwidth {:.0f}MB/s",
                                                        cost.latency_s * 1e3, std::max(1.0, cost.bandwidth / 1e6))
                                          : "--store " + quoted(saved);
  return text + fmt::format("Next: weft layout 151x400000x2 {}\n", store);
}

#ifdef WEFT_HAVE_MPI
// What MPI-IO, HDF5 and series cost there, in a folder that goes whatever happens. Collective.
void add_layers(Communicator& comm, const std::string& folder, double seconds, StoreProfile& profile) {
  std::optional<stores::ScratchFolder> scratch;
  std::vector<std::byte> name;
  agree_on(comm, [&] {
    if (comm.rank() != 0) return;
    scratch.emplace(folder, "/proc/self/exe", "clean-up-after");
    const auto path = std::as_bytes(std::span(scratch->path()));
    name.assign(path.begin(), path.end());
  });
  comm.broadcast(name, 0);
  MpiCommunicator ranks(MPI_COMM_WORLD);
  const auto stopped = [] { return interrupted(); };
  predict::measure_layers(ranks, {reinterpret_cast<const char*>(name.data()), name.size()}, seconds, stopped, profile);
  comm.max(0);  // before the files go
}
#endif

void save(const StoreProfile& profile, const std::string& path) {
  std::ofstream file(path);
  file << json_text(to_json(profile), 1) << "\n";
  file.close();
  if (!file) throw system_error(path, "cannot be written", errno);
}

// By one rank.
void tell(const ProbeArguments& arguments, const StoreProfile& profile) {
  if (!arguments.out.empty()) save(profile, arguments.out);
  if (arguments.json) {
    fmt::print("{}\n", json_text(to_json(profile), 1));
    return;
  }
  fmt::print("{}: {}, {} ranks on {} nodes\n\n{}\n{}\n{}\n{}", profile.name,
             profile.file_system.empty() ? "a file system that does not say what it is" : profile.file_system,
             profile.ranks, profile.nodes, table_of(profile, Access::write), table_of(profile, Access::read),
             calls_of(profile), advice_of(profile, arguments.out));
}

void run(const ProbeArguments& arguments) {
  listen_for_interruption();
  on_ranks([&](Communicator& comm) {
    std::optional<Progress> line;
    if (comm.rank() == 0) line.emplace("probing", "cell", 0, !arguments.json);
    const auto progress = [&](std::uint64_t done, std::uint64_t all) {
      if (line) line->update(done, fmt::format(" of {}", format_count(all)));
    };
    StoreProfile profile = stores::probe(comm, arguments.folder, arguments.options,
                                         {"/proc/self/exe", [] { return interrupted(); }, progress});
#ifdef WEFT_HAVE_MPI
    if (!arguments.no_layers) add_layers(comm, arguments.folder, arguments.options.seconds, profile);
#endif
    line.reset();
    if (!arguments.name.empty()) profile.name = arguments.name;
    agree_on(comm, [&] {
      if (comm.rank() == 0) tell(arguments, profile);
    });
  });
}

// No run of its own: what other probes have found.
void merge(const ProbeArguments& arguments) {
  std::vector<StoreProfile> profiles;
  for (const std::string& path : arguments.merge) profiles.push_back(stores::read_profile(path));
  StoreProfile profile = stores::merged(profiles);
  if (!arguments.name.empty()) profile.name = arguments.name;
  tell(arguments, profile);
}

}  // namespace

void add_probe_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("probe", "Measure what requests cost on a file system, in a minute");
  const auto arguments = std::make_shared<ProbeArguments>();
  CLI::Option* folder_option = command->add_option("folder", arguments->folder,
                                                   "A folder on the file system; what is made there is removed again");
  CLI::Option* merge_option =
      command
          ->add_option("--merge", arguments->merge,
                       "Measure nothing: make one profile of several that were taken at different times")
          ->excludes(folder_option);
  command
      ->add_option("--seconds", arguments->options.seconds,
                   "How long to measure requests, about; what libraries cost takes some 30 s more")
      ->check(CLI::Range(1.0, 86400.0))
      ->capture_default_str();
  command->add_option("--name", arguments->name, "The name of the profile [the file system's]");
  command->add_option("--out", arguments->out, "Save the profile, for weft layout --store");
  command->add_option("--seed", arguments->options.seed, "The order of the measurements")->capture_default_str();
  command->add_flag("--no-layers", arguments->no_layers,
                    "Leave out what MPI-IO, HDF5 and series cost there, which weft predict needs");
  command->add_flag("--json", arguments->json, "Print the profile as JSON");
  command->footer(
      "Example:\n"
      "  mpirun -n 4 weft probe /scratch/me --out scratch.json\n"
      "  weft probe --merge monday.json friday.json --out scratch.json");
  command->callback([arguments, folder_option, merge_option] {
    if (merge_option->count() > 0) return merge(*arguments);
    if (folder_option->count() == 0) throw CLI::RequiredError(folder_option->get_name());
    run(*arguments);
  });

  // What a probe starts to clean up after it, whatever ends it.
  CLI::App* cleaner = app.add_subcommand("clean-up-after", "")->group("");
  const auto folder = std::make_shared<std::string>();
  cleaner->add_option("folder", *folder)->required();
  cleaner->callback([folder] { stores::clean_up_after(*folder); });
}

}  // namespace weft::cli
