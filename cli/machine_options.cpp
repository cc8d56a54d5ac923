#ifdef WEFT_HAVE_MPI

#include "cli/machine_options.hpp"

#include <fmt/format.h>

#include "cli/json_text.hpp"
#include "predict/prediction.hpp"
#include "predict/series_shape.hpp"
#include "weft/support/amount.hpp"

namespace weft::cli {

void add_machine_options(CLI::App& command, MachineArguments& a) {
  const char* machine = "The machine";
  command.add_option("--store", a.store, "The profile of the store, as weft probe --out makes it")
      ->required()
      ->group(machine);
  constexpr std::uint64_t kMostRanks = 100'000;
  command.add_option("--ranks", a.ranks, "The number of ranks")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, kMostRanks))
      ->group(machine);
  command.add_option("--per-node", a.per_node, "How many of them are on a node [all on one]")
      ->check(CLI::Range(std::uint64_t{0}, kMostRanks))
      ->group(machine);
  command.add_option("--link", a.link, "The bandwidth between a node and the others")
      ->capture_default_str()
      ->group(machine);
  command.add_option("--link-latency", a.link_latency, "The time of a message between nodes")
      ->capture_default_str()
      ->group(machine);
  command.add_flag("--json", a.json, "Print the prediction as JSON")->group(machine);
}

std::string machine_footer(const std::string& kernel, bool advice) {
  return fmt::format("Example: weft {} {} --store scratch.json --ranks 192 --per-node 24",
                     advice ? "advise" : "predict", kernel);
}

predict::Workload with_hints_left_out(predict::Workload work, const kernels::Hints& hints) {
  for (const auto& [name, value] : hints) work.leaves_out.push_back(fmt::format("what {}={} changes", name, value));
  return work;
}

stores::StoreProfile profile_of(const MachineArguments& arguments) { return stores::read_profile(arguments.store); }

predict::Cluster cluster_of(const MachineArguments& arguments) {
  return {arguments.per_node >= arguments.ranks ? 0 : arguments.per_node, parse_rate(arguments.link),
          parse_seconds(arguments.link_latency)};
}

ReadCost read_cost_of(const MachineArguments& arguments) {
  const layout::AccessCost cost = profile_of(arguments).read_cost();
  return {fmt::format("{:.1f}us", cost.latency_s * 1e6), fmt::format("{:.4f}GB/s", cost.bandwidth / 1e9)};
}

predict::Surroundings surroundings_of(const MachineArguments& arguments, const stores::StoreProfile& profile) {
  const std::uint64_t per_node = cluster_of(arguments).ranks_per_node;
  return {.ranks = arguments.ranks,
          .ranks_per_node = per_node,
          .rates = predict::rates_of(profile, per_node == 0 ? arguments.ranks : per_node),
          .most_request_bytes = predict::most_request_bytes(profile),
          .page_cache = predict::is_local(profile),
          .direct_from_bytes = predict::direct_from_bytes(profile),
          .aligns = predict::aligns(profile),
          .stdio_bytes = predict::stdio_bytes(profile),
          .cores = static_cast<std::uint64_t>(profile.cores)};
}

void print_prediction(const MachineArguments& arguments,
                      const std::function<predict::Workload(const predict::Surroundings&)>& work) {
  const predict::Cluster cluster = cluster_of(arguments);
  const stores::StoreProfile profile = profile_of(arguments);
  const predict::Prediction prediction = predict::predict(work(surroundings_of(arguments, profile)), profile, cluster);
  fmt::print("{}", arguments.json ? json_text(predict::to_json(prediction)) + "\n" : predict::to_text(prediction));
}

}  // namespace weft::cli

#endif  // WEFT_HAVE_MPI
