#include "weft/series/spec_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "weft/series/spec_words.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"

namespace weft::series {

namespace {

constexpr std::string_view kAttribute = "attribute.";
constexpr std::string_view kOwn = "weft_";

template <typename Spec>
using Setters = std::map<std::string_view, void (*)(Spec&, std::string_view value)>;

template <typename Spec>
void set_one(Spec& spec, const Setters<Spec>& known, std::string_view of, std::string_view name,
             std::string_view value) {
  if (name.starts_with(kAttribute) && name.size() > kAttribute.size()) {
    if (name.substr(kAttribute.size()).starts_with(kOwn)) {
      throw Error(ErrorKind::usage, fmt::format("{} '{}'", of, name), "is an attribute that Weft itself writes",
                  "give it another name");
    }
    spec.attributes[std::string(name.substr(kAttribute.size()))] = std::string(value);
    return;
  }
  const auto found = known.find(name);
  if (found == known.end()) {
    std::vector<std::string_view> names;
    for (const auto& [one, setter] : known) names.push_back(one);
    throw Error(ErrorKind::usage, fmt::format("{} '{}'", of, name), "is not known",
                fmt::format("use {} or attribute.NAME", fmt::join(names, ", ")));
  }
  found->second(spec, value);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    words.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return words;
}

}  // namespace

void set_option(SeriesSpec& spec, std::string_view name, std::string_view value) {
  using Value = std::string_view;
  static const Setters<SeriesSpec> known{
      {"steps",
       [](SeriesSpec& s, Value v) {
         s.steps = v == "unknown" ? std::nullopt : std::optional(parse_whole_number(v, "steps"));
       }},
      {"time_units", [](SeriesSpec& s, Value v) { s.time_units = v; }},
      {"calendar", [](SeriesSpec& s, Value v) { s.calendar = v; }},
      {"align", [](SeriesSpec& s, Value v) { s.align_bytes = parse_bytes(v); }},
      {"if_exists", [](SeriesSpec& s, Value v) { s.if_exists = parse_if_exists(v); }},
      {"budget", [](SeriesSpec& s, Value v) { s.options.budget_bytes = parse_bytes(v); }},
      {"direct", [](SeriesSpec& s, Value v) { s.options.direct = parse_direct(v); }},
      {"sync", [](SeriesSpec& s, Value v) { s.options.sync = parse_sync(v); }},
      {"commit_every", [](SeriesSpec& s, Value v) { parse_commit_every(v, s.options); }},
      {"commit_on_signals",
       [](SeriesSpec& s, Value v) { s.options.commit_on_signals = parse_yes(v, "commit_on_signals"); }},
      {"take_over", [](SeriesSpec& s, Value v) { s.options.take_over = parse_yes(v, "take_over"); }},
      {"writers", [](SeriesSpec& s, Value v) { s.options.writers = parse_writers(v); }},
      {"commit_groups",
       [](SeriesSpec& s, Value v) { s.options.commit_groups = parse_whole_number(v, "commit_groups"); }},
      {"work", [](SeriesSpec& s, Value v) { s.options.work = v; }},
  };
  set_one(spec, known, "option", name, value);
}

void set_option(FieldSpec& field, std::string_view name, std::string_view value) {
  using Value = std::string_view;
  static const Setters<FieldSpec> known{
      {"support", [](FieldSpec& f, Value v) { f.support = parse_support(v); }},
      {"units", [](FieldSpec& f, Value v) { f.units = v; }},
      {"components", [](FieldSpec& f, Value v) { f.components = words_of(v); }},
      {"component_units", [](FieldSpec& f, Value v) { f.component_units = words_of(v); }},
      {"filters", [](FieldSpec& f, Value v) { f.filters = v; }},
      {"layout", [](FieldSpec& f, Value v) { f.layout.kind = parse_layout(v); }},
      {"reads", [](FieldSpec& f, Value v) { f.layout.reads = v; }},
      {"target", [](FieldSpec& f, Value v) { f.layout.target_bytes = parse_bytes(v); }},
      {"chunk",
       [](FieldSpec& f, Value v) {
         f.layout.chunk.clear();
         for (const std::string& extent : words_of(v)) f.layout.chunk.push_back(parse_whole_number(extent, "chunk"));
         f.layout.kind = LayoutKind::given;
       }},
      {"latency", [](FieldSpec& f, Value v) { f.layout.access.latency_s = parse_seconds(v); }},
      {"bandwidth", [](FieldSpec& f, Value v) { f.layout.access.bandwidth = parse_rate(v); }},
  };
  set_one(field, known, "field option", name, value);
}

}  // namespace weft::series
