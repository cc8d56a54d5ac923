#include "stores/merged_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "weft/support/error.hpp"

namespace weft::stores {

namespace {

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : std::sqrt(values[half - 1] * values[half]);
}

// The same measurement in each profile; nothing where one has none.
template <typename Cell, typename Cells, typename Same>
std::optional<std::vector<Cell>> in_all(std::span<const StoreProfile> profiles, const Cells& cells, const Same& same) {
  std::vector<Cell> found;
  for (const StoreProfile& profile : profiles) {
    const std::vector<Cell>& all = profile.*cells;
    const auto one = std::ranges::find_if(all, same);
    if (one == all.end()) return std::nullopt;
    found.push_back(*one);
  }
  return found;
}

template <typename Cells, typename Value>
double median_of(const Cells& cells, const Value& value) {
  std::vector<double> values;
  values.reserve(cells.size());
  for (const auto& cell : cells) values.push_back(cell.*value);
  return middle(std::move(values));
}

}  // namespace

StoreProfile merged(std::span<const StoreProfile> profiles) {
  if (profiles.empty()) throw Error(ErrorKind::usage, "--merge", "names no profile", "name two or more");
  StoreProfile result = profiles[0];
  for (const StoreProfile& profile : profiles) {
    if (profile.file_system == result.file_system && profile.ranks == result.ranks && profile.nodes == result.nodes) {
      result.taken = std::max(result.taken, profile.taken);
      continue;
    }
    const auto facts = [](const StoreProfile& of) {
      return fmt::format("{} on {} ranks of {} nodes", of.file_system, of.ranks, of.nodes);
    };
    throw Error(ErrorKind::usage, "--merge",
                fmt::format("the profiles are of {} and of {}", facts(result), facts(profile)),
                "merge those that the same ranks took of the same file system");
  }
  const auto is_like_the_first = [&](const StoreProfile& profile) { return profile.cores == result.cores; };
  if (!std::ranges::all_of(profiles, is_like_the_first)) result.cores = 0;
  result.calls.clear();
  for (const CallCell& first : profiles[0].calls) {
    const auto cells = in_all<CallCell>(profiles, &StoreProfile::calls, [&](const CallCell& cell) {
      return cell.call == first.call && cell.ranks == first.ranks;
    });
    if (!cells) continue;
    result.calls.push_back(
        {first.call, first.ranks, median_of(*cells, &CallCell::call_s), median_of(*cells, &CallCell::calls_per_s)});
  }
  result.requests.clear();
  for (const RequestCell& first : profiles[0].requests) {
    const auto cells = in_all<RequestCell>(profiles, &StoreProfile::requests,
                                           [&](const RequestCell& cell) { return same_request(cell, first); });
    if (!cells) continue;
    RequestCell one = first;
    one.requests = 0;
    for (const RequestCell& cell : *cells) {
      one.requests += cell.requests;
      one.least_bytes_per_s = std::min(one.least_bytes_per_s, cell.least_bytes_per_s);
      one.most_bytes_per_s = std::max(one.most_bytes_per_s, cell.most_bytes_per_s);
    }
    one.request_s = median_of(*cells, &RequestCell::request_s);
    one.late_s = median_of(*cells, &RequestCell::late_s);
    one.bytes_per_s = median_of(*cells, &RequestCell::bytes_per_s);
    result.requests.push_back(one);
  }
  result.sync_bytes_per_s = median_of(profiles, &StoreProfile::sync_bytes_per_s);
  const bool all_have_records =
      std::ranges::all_of(profiles, [](const StoreProfile& one) { return one.sync_records_bytes_per_s > 0; });
  result.sync_records_bytes_per_s = all_have_records ? median_of(profiles, &StoreProfile::sync_records_bytes_per_s) : 0;
  result.copy_bytes_per_s = median_of(profiles, &StoreProfile::copy_bytes_per_s);
  result.rates.clear();
  for (const auto& [name, rate] : profiles[0].rates) {
    std::vector<double> rates;
    for (const StoreProfile& profile : profiles) {
      if (const auto found = profile.rates.find(name); found != profile.rates.end()) rates.push_back(found->second);
    }
    if (rates.size() == profiles.size()) result.rates[name] = middle(std::move(rates));
  }
  return result;
}

}  // namespace weft::stores
