#include "predict/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "predict/simulation.hpp"
#include "weft/support/amount.hpp"

namespace weft::predict {

namespace {

Seconds between(double best, double middle, double worst) {
  return {middle, std::min(best, middle) / kModelError, std::max(worst, middle) * kModelError};
}

double of(const std::map<std::string, double>& phases, const std::string& name) {
  const auto found = phases.find(name);
  return found == phases.end() ? 0 : found->second;
}

// What the profile does not know of such a run.
void add_unknown(const Workload& work, const stores::StoreProfile& profile, const Machine& machine,
                 std::vector<std::string>& leaves_out) {
  if (work.ranks > static_cast<std::uint64_t>(profile.ranks)) {
    leaves_out.push_back(fmt::format("what more than {} ranks bring: so many made the profile", profile.ranks));
  }
  std::vector<std::string> missing;
  for (const RankGroup& group : work.groups) {
    for (const Step& step : group.steps) {
      if (step.act == Act::call && !machine.has_call(step.call) && std::ranges::count(missing, step.call) == 0) {
        missing.push_back(step.call);
      }
    }
  }
  for (const std::string& call : missing)
    leaves_out.push_back(fmt::format("calls of '{}': the profile has none", call));
}

struct Foreseen {
  Seconds all;
  std::vector<std::pair<std::string, Seconds>> phases;
};

Foreseen foresee(const Workload& work, const Machine& middle, const stores::StoreProfile& profile,
                 const Cluster& cluster) {
  const SimulatedTimes times = simulate(work, middle);
  const SimulatedTimes best = simulate(work, Machine(profile, cluster, Mood::best));
  const SimulatedTimes worst = simulate(work, Machine(profile, cluster, Mood::worst));
  Foreseen result{between(best.seconds, times.seconds, worst.seconds), {}};
  for (const auto& [phase, seconds] : times.of_phase) {
    result.phases.emplace_back(phase, between(of(best.of_phase, phase), seconds, of(worst.of_phase, phase)));
  }
  return result;
}

}  // namespace

Prediction predict(const Workload& work, const stores::StoreProfile& profile, const Cluster& cluster) {
  const Machine middle(profile, cluster, Mood::middle);
  Prediction result;
  result.kernel = work.kernel;
  result.strategy = work.strategy;
  result.store = profile.name;
  result.ranks = work.ranks;
  result.nodes = middle.nodes(work.ranks);
  result.bytes = work.bytes;
  result.requests = work.at_store.value_or(requests_of(work));
  result.messages = work.messages;
  Foreseen output = foresee(work, middle, profile, cluster);
  result.output = output.all;
  result.phases = std::move(output.phases);
  if (!work.afterwards.empty()) {
    Workload later = work;
    later.groups = work.afterwards;
    later.order.clear();
    result.afterwards = foresee(later, middle, profile, cluster).phases;
  }
  result.leaves_out = work.leaves_out;
  if (!work.at_store) result.leaves_out.emplace_back("what MPI-IO makes of these requests, which are what it is given");
  if (work.clock_seconds > 0 && result.output.most >= work.clock_seconds) {
    result.leaves_out.push_back(fmt::format("commits by the clock: they begin after {}, and the run may take as long",
                                            format_seconds(work.clock_seconds)));
  }
  add_unknown(work, profile, middle, result.leaves_out);
  return result;
}

nlohmann::ordered_json to_json(const Prediction& prediction) {
  const auto seconds = [](const Seconds& of) {
    return nlohmann::ordered_json{{"middle", of.middle}, {"least", of.least}, {"most", of.most}};
  };
  nlohmann::ordered_json json = {
      {"kernel", prediction.kernel},
      {"strategy", prediction.strategy},
      {"store", prediction.store},
      {"ranks", prediction.ranks},
      {"nodes", prediction.nodes},
      {"bytes", prediction.bytes},
      {"requests", {{"writes", prediction.requests.writes}, {"bytes", prediction.requests.bytes}}}};
  if (prediction.messages) {
    json["messages"] = {{"count", prediction.messages->count}, {"bytes", prediction.messages->bytes}};
  }
  json["seconds"] = {{"output", seconds(prediction.output)}};
  for (const auto& [phase, of] : prediction.phases) json["seconds"][phase] = seconds(of);
  for (const auto& [phase, of] : prediction.afterwards) json["afterwards"][phase] = seconds(of);
  json["leaves_out"] = prediction.leaves_out;
  return json;
}

std::string to_text(const Prediction& prediction) {
  std::string text =
      fmt::format("{} {} on {} {} ({} {}), {}: {} in {} requests\n", prediction.kernel, prediction.strategy,
                  format_count(prediction.ranks), prediction.ranks == 1 ? "rank" : "ranks",
                  format_count(prediction.nodes), prediction.nodes == 1 ? "node" : "nodes", prediction.store,
                  format_bytes(prediction.bytes), format_count(static_cast<std::uint64_t>(prediction.requests.writes)));
  const auto line = [&](const std::string& name, const Seconds& of) {
    text += fmt::format("  {:<9} {:>9}   {} to {}\n", name, format_seconds(of.middle), format_seconds(of.least),
                        format_seconds(of.most));
  };
  line("output", prediction.output);
  for (const auto& [phase, of] : prediction.phases) line("  " + phase, of);
  for (const auto& [phase, of] : prediction.afterwards) line(phase, of);
  // More than the padding of chunks, and than what a small file says of itself.
  const auto values = static_cast<double>(prediction.bytes);
  const double times = prediction.requests.bytes / std::max(values, 1.0);
  if (times > 1.1 && prediction.requests.bytes - values > (1 << 20)) {
    text += fmt::format("  written   {}, {:.1f} times the values\n",
                        format_bytes(static_cast<std::uint64_t>(prediction.requests.bytes)), times);
  }
  if (prediction.messages) {
    text += fmt::format("  moved     {} between ranks in {} messages\n",
                        format_bytes(static_cast<std::uint64_t>(prediction.messages->bytes)),
                        format_count(static_cast<std::uint64_t>(prediction.messages->count)));
  }
  for (const std::string& left_out : prediction.leaves_out) text += "  without   " + left_out + "\n";
  return text;
}

}  // namespace weft::predict
