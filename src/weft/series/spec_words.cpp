#include "weft/series/spec_words.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"

namespace weft::series {

namespace {

template <typename Kind, std::size_t N>
using Words = std::array<std::pair<std::string_view, Kind>, N>;

template <typename Kind, std::size_t N>
Kind word_of(std::string_view word, std::string_view what, const Words<Kind, N>& known) {
  std::string names;
  for (std::size_t i = 0; i < N; ++i) {
    if (known[i].first == word) return known[i].second;
    names += fmt::format("{}{}", i == 0 ? "" : i + 1 == N ? " or " : ", ", known[i].first);
  }
  throw Error(ErrorKind::usage, fmt::format("{} '{}'", what, word), "is not known", "use " + names);
}

constexpr Words<LayoutKind, 4> kLayouts{{{"reads", LayoutKind::reads},
                                         {"isotropic", LayoutKind::isotropic},
                                         {"rows", LayoutKind::rows},
                                         {"given", LayoutKind::given}}};
constexpr Words<Sync, 3> kSyncs{{{"commit", Sync::commit}, {"window", Sync::window}, {"none", Sync::none}}};

template <typename Kind, std::size_t N>
std::string_view name_in(const Words<Kind, N>& words, Kind kind) {
  for (const auto& [name, known] : words) {
    if (known == kind) return name;
  }
  return words.front().first;
}

}  // namespace

DataType parse_data_type(std::string_view word, std::string_view what) {
  using enum DataType;
  static constexpr Words<DataType, 5> kTypes{{{name_of(float32), float32},
                                              {name_of(float64), float64},
                                              {name_of(int32), int32},
                                              {name_of(int64), int64},
                                              {name_of(uint8), uint8}}};
  return word_of(word, what, kTypes);
}

Support parse_support(std::string_view word, std::string_view what) {
  using enum Support;
  static constexpr Words<Support, 3> kSupports{{{"nodes", nodes}, {"cells", cells}, {"global", global}}};
  return word_of(word, what, kSupports);
}

LayoutKind parse_layout(std::string_view word, std::string_view what) { return word_of(word, what, kLayouts); }

std::string_view name_of(LayoutKind kind) { return name_in(kLayouts, kind); }

Sync parse_sync(std::string_view word, std::string_view what) { return word_of(word, what, kSyncs); }

std::string_view name_of(Sync sync) { return name_in(kSyncs, sync); }

DirectWrites parse_direct(std::string_view word, std::string_view what) {
  using enum DirectWrites;
  static constexpr Words<DirectWrites, 3> kDirect{{{"auto", automatic}, {"always", always}, {"never", never}}};
  return word_of(word, what, kDirect);
}

storage::IfExists parse_if_exists(std::string_view word, std::string_view what) {
  using enum storage::IfExists;
  static constexpr Words<storage::IfExists, 2> kIfExists{{{"replace", replace}, {"fail", fail}}};
  return word_of(word, what, kIfExists);
}

std::optional<partition::WriterLimit> parse_writers(std::string_view word, std::string_view what) {
  return word == "auto" ? std::nullopt : std::optional(partition::parse_writers(word, what));
}

bool parse_yes(std::string_view word, std::string_view what) {
  static constexpr Words<bool, 2> kYes{{{"yes", true}, {"no", false}}};
  return word_of(word, what, kYes);
}

std::uint64_t parse_whole_number(std::string_view text, std::string_view what) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Error(ErrorKind::usage, fmt::format("{} '{}'", what, text), "is not a whole number from 0 on", "");
  }
  return number;
}

void parse_commit_every(std::string_view text, WriterOptions& options, std::string_view what) {
  constexpr std::string_view kSteps = "steps";
  if (!text.ends_with(kSteps)) {
    options.commit_seconds = parse_seconds(text);
    return;
  }
  const std::string_view number = text.substr(0, text.size() - kSteps.size());
  std::uint64_t steps = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), steps);
  if (error != std::errc() || end != number.data() + number.size() || steps == 0) {
    throw Error(ErrorKind::usage, fmt::format("{} '{}'", what, text), "is not a number of steps",
                fmt::format("for example {} 100steps, or 60s", what));
  }
  options.commit_steps = steps;
}

}  // namespace weft::series
