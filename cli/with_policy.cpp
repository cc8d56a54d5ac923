#include "cli/with_policy.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "weft/layout/design.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"

namespace weft::cli {

namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& path, const toml::node& node, std::string_view what,
                         std::string_view remedy) {
  throw Error(ErrorKind::usage, fmt::format("{}:{}", path, node.source().begin.line), what, remedy);
}

std::string text_in(const std::string& path, std::string_view key, const toml::node& node) {
  if (const auto text = node.value<std::string>(); text && node.is_string()) return *text;
  refuse(path, node, fmt::format("{} is no text", key), "put it in quotes");
}

std::uint64_t count_in(const std::string& path, std::string_view key, const toml::node& node) {
  const auto number = node.is_integer() ? node.value<std::int64_t>() : std::nullopt;
  if (!number || *number < 1)
    refuse(path, node, fmt::format("{} is no number of 1 or more", key), "write a whole number");
  return static_cast<std::uint64_t>(*number);
}

bool flag_in(const std::string& path, std::string_view key, const toml::node& node) {
  if (node.is_boolean()) return *node.value<bool>();
  refuse(path, node, fmt::format("{} is neither true nor false", key), "write one of them");
}

json rule_of(const std::string& path, const toml::table& table) {
  json rule = json::object();
  for (const auto& [name, node] : table) {
    const std::string_view key = name.str();
    if (key == "match" || key == "reads") {
      rule[key] = text_in(path, key, node);
    } else if (key == "algorithm") {
      rule[key] = layout::name_of(layout::parse_algorithm(text_in(path, key, node)));
    } else if (key == "target") {
      rule["target_bytes"] = parse_bytes(text_in(path, key, node));
    } else if (key == "least") {
      rule["least_bytes"] = parse_bytes(text_in(path, key, node));
    } else if (key == "steps") {
      rule[key] = count_in(path, key, node);
    } else if (key == "keep" || key == "contiguous") {
      rule[key] = flag_in(path, key, node);
    } else if (key == "chunk") {
      const toml::array* extents = node.as_array();
      if (extents == nullptr || extents->empty()) refuse(path, node, "chunk is no list", "write it as [76, 1700]");
      for (const toml::node& extent : *extents) rule["chunk"].push_back(count_in(path, "chunk", extent));
    } else {
      refuse(path, node, fmt::format("{} is no word for a dataset", key),
             "there are match, keep, algorithm, reads, chunk, target, steps, least and contiguous");
    }
  }
  if (!rule.contains("match")) refuse(path, table, "a dataset has no match", "say which: match = \"/V*\"");
  return rule;
}

}  // namespace

json policy_of(const std::string& path) {
  toml::table file;
  try {
    file = toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    const auto line = error.source().begin.line;
    throw Error(ErrorKind::usage, line == 0 ? path : fmt::format("{}:{}", path, line), error.description(),
                "see weft with --help for what a policy is");
  }
  json rules = json::array();
  for (const auto& [name, node] : file) {
    const toml::array* datasets = node.as_array();
    if (name.str() != "dataset" || datasets == nullptr) {
      refuse(path, node, fmt::format("{} is unknown here", name.str()), "rules begin with [[dataset]]");
    }
    for (const toml::node& dataset : *datasets) {
      if (!dataset.is_table()) refuse(path, dataset, "a dataset is no table", "rules begin with [[dataset]]");
      rules.push_back(rule_of(path, *dataset.as_table()));
    }
  }
  if (rules.empty()) throw Error(ErrorKind::usage, path, "has no rule", "rules begin with [[dataset]]");
  return rules;
}

}  // namespace weft::cli
