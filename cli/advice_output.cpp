#ifdef WEFT_HAVE_MPI

#include "cli/advice_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/json_text.hpp"
#include "cli/text_table.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"
#include "weft/support/program_output.hpp"
#include "weft/support/shell_word.hpp"

namespace weft::cli {

namespace {

using predict::Ranked;

constexpr const char* kAdvice = "Trying";

std::string interval(const predict::Seconds& of) {
  return fmt::format("{} to {}", format_seconds(of.least), format_seconds(of.most));
}

std::string table_of(const std::vector<Ranked>& ways) {
  std::vector<std::vector<std::string>> rows{{"", "how", "output", "between"}};
  for (const auto& [read, seconds] : ways[0].reads)
    rows[0].push_back(fmt::format("{} {}", read == "trace" ? "then a" : "a", read));
  rows[0].emplace_back("");
  for (std::size_t n = 0; n < ways.size(); ++n) {
    const Ranked& way = ways[n];
    std::vector<std::string> row{std::to_string(n + 1), way.options, format_seconds(way.prediction.output.middle),
                                 interval(way.prediction.output)};
    for (const auto& [read, seconds] : way.reads) row.push_back(format_seconds(seconds));
    row.emplace_back(way.cannot_tell ? "cannot tell from 1" : "");
    rows.push_back(std::move(row));
  }
  return text_table(rows, 2);
}

std::string run_command(const AskedAdvice& asked, const Ranked& way, const std::string& out) {
  std::string launch = asked.advice.launch;
  if (const std::size_t at = launch.find("{ranks}"); at != std::string::npos) {
    launch.replace(at, 7, std::to_string(asked.machine.ranks));
  }
  return fmt::format("{} weft run {}{} {} --out {}", launch, asked.kernel, asked.typed, way.options, out);
}

// Seconds of the output of a trial run. Throws Error(system) where it fails.
double tried(const AskedAdvice& asked, const Ranked& way) {
  const std::filesystem::path out =
      std::filesystem::path(asked.advice.folder) / fmt::format("weft-advise-trial.{}", ::getpid());
  std::error_code ignored;
  std::filesystem::remove_all(out, ignored);
  std::string command = run_command(asked, way, quoted(out.string())) + " --json";
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  command.replace(command.find(" weft run "), 6, fmt::format(" {} ", quoted(program)));
  const ProgramOutput output = output_of(command);
  std::filesystem::remove_all(out, ignored);
  const auto report = nlohmann::json::parse(output.text, nullptr, false);
  if (!output.ended_well || report.is_discarded()) {
    throw Error(ErrorKind::system, command, "the trial run failed", "see --launch and --folder");
  }
  return report.at("seconds").at("output").get<double>();
}

}  // namespace

void add_advice_options(CLI::App& command, AdviceArguments& a) {
  CLI::Option* verify =
      command.add_option("--verify", a.verify, "Try so many of the first ways, on this machine")->group(kAdvice);
  command.add_option("--folder", a.folder, "Where they are tried")->needs(verify)->group(kAdvice);
  command.add_option("--launch", a.launch, "How ranks are started for that")->capture_default_str()->group(kAdvice);
}

std::string typed_options(const CLI::App& kernel, const std::vector<std::string>& left_out) {
  std::string text;
  for (const CLI::Option* option : kernel.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || option->get_group() == "The machine" || option->get_group() == kAdvice) continue;
    if (std::ranges::count(left_out, name) > 0) continue;
    if (option->get_expected_max() == 0) {
      text += " " + name;
      continue;
    }
    for (const std::string& value : option->results()) text += fmt::format(" {} {}", name, quoted(value));
  }
  return text;
}

void print_advice(const AskedAdvice& asked,
                  const std::function<std::vector<predict::Way>(const predict::Surroundings&)>& ways) {
  const predict::Cluster cluster = cluster_of(asked.machine);
  const stores::StoreProfile profile = profile_of(asked.machine);
  if (asked.advice.verify > 0 && asked.advice.folder.empty()) {
    throw Error(ErrorKind::usage, "--verify", "tries nothing without a folder", "add --folder DIR, on that store");
  }
  const std::vector<Ranked> list = predict::advise(ways(surroundings_of(asked.machine, profile)), profile, cluster);
  std::vector<double> measured;
  for (std::size_t n = 0; n < std::min<std::size_t>(asked.advice.verify, list.size()); ++n) {
    measured.push_back(tried(asked, list[n]));
  }
  const std::string next = asked.next ? asked.next(list[0].options) : run_command(asked, list[0], "OUT");
  const std::uint64_t writers = std::min(asked.machine.ranks, 8 * list[0].prediction.nodes);
  const auto striping = predict::striping_commands(profile, writers, "DIR");
  if (asked.machine.json) {
    nlohmann::ordered_json json = {{"kernel", asked.kernel}, {"store", profile.name}, {"ways", predict::to_json(list)}};
    for (std::size_t n = 0; n < measured.size(); ++n) json["ways"][n]["measured"] = measured[n];
    json["striping"] = striping;
    json["next"] = next;
    fmt::print("{}\n", json_text(json));
    return;
  }
  const predict::Prediction& first = list[0].prediction;
  fmt::print("{} on {} {} ({} {}), {}\n\n{}\n", asked.kernel, format_count(first.ranks),
             first.ranks == 1 ? "rank" : "ranks", format_count(first.nodes), first.nodes == 1 ? "node" : "nodes",
             profile.name, table_of(list));
  for (std::size_t n = 0; n < measured.size(); ++n) {
    fmt::print("Tried: {} took {}, for {}.\n", n + 1, format_seconds(measured[n]),
               format_seconds(list[n].prediction.output.middle));
  }
  for (const std::string& left_out : first.leaves_out) fmt::print("Left out: {}.\n", left_out);
  for (const std::string& command : striping) fmt::print("Before: {}\n", command);
  fmt::print("Next: {}\n", next);
}

}  // namespace weft::cli

#endif  // WEFT_HAVE_MPI
