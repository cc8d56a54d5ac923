#include "with/settings.hpp"

#include <fnmatch.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace weft::with {

namespace {

using nlohmann::json;

Rule rule_of(const json& words) {
  Rule rule;
  rule.match = words.value("match", rule.match);
  rule.keep = words.value("keep", rule.keep);
  rule.algorithm = words.value("algorithm", rule.algorithm);
  rule.reads = words.value("reads", rule.reads);
  rule.chunk = words.value("chunk", rule.chunk);
  rule.target_bytes = words.value("target_bytes", rule.target_bytes);
  rule.steps = words.value("steps", rule.steps);
  rule.least_bytes = words.value("least_bytes", rule.least_bytes);
  rule.contiguous = words.value("contiguous", rule.contiguous);
  return rule;
}

Settings from_environment() {
  Settings settings;
  const char* text = std::getenv(kSettingsVariable);
  if (text == nullptr) return settings;
  const json words = json::parse(text, nullptr, false);
  if (!words.is_object()) return settings;
  try {
    settings.watch = words.value("watch", false);
    settings.write_behind = words.value("write_behind", false);
    settings.budget_bytes = words.value("budget_bytes", settings.budget_bytes);
    settings.within_seconds = words.value("within_seconds", settings.within_seconds);
    settings.cache_bytes = words.value("cache_bytes", settings.cache_bytes);
    settings.report = words.value("report", "");
    for (const json& rule : words.value("rules", json::array())) settings.rules.push_back(rule_of(rule));
    settings.layout = !settings.rules.empty();
  } catch (const json::exception&) {
    return {};
  }
  return settings;
}

// As the launchers of MPI say it.
bool is_another_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (const char* value = std::getenv(name)) return std::atoi(value) != 0;
  }
  return false;
}

}  // namespace

const Settings& settings() {
  static const auto& own = *new Settings(from_environment());  // needed until the very end
  return own;
}

bool matches(std::string_view pattern, std::string_view path) {
  std::string whole(pattern);
  if (whole.empty() || (whole.front() != '/' && whole.front() != '*')) whole.insert(0, "/");
  return fnmatch(whole.c_str(), std::string(path).c_str(), 0) == 0;
}

std::optional<Rule> rule_for(std::string_view path) {
  for (const Rule& rule : settings().rules) {
    if (matches(rule.match, path)) return rule;
  }
  return std::nullopt;
}

void say(std::string_view line) {
  static const bool quiet = is_another_rank();
  if (!quiet) std::fprintf(stderr, "weft with: %.*s\n", static_cast<int>(line.size()), line.data());
}

}  // namespace weft::with
