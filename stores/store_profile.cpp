#include "stores/store_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "weft/support/error.hpp"

namespace weft::stores {

namespace {

constexpr int kVersion = 1;
constexpr std::array<std::pair<Access, std::string_view>, 2> kAccesses{
    {{Access::read, "read"}, {Access::write, "write"}}};
constexpr std::array<std::pair<Sharing, std::string_view>, 4> kSharings{{{Sharing::own_files, "own files"},
                                                                         {Sharing::apart, "apart"},
                                                                         {Sharing::in_turn, "in turn"},
                                                                         {Sharing::directly, "directly"}}};

template <typename Names, typename Value>
std::string_view name_in(const Names& names, Value value) {
  return std::find_if(names.begin(), names.end(), [&](const auto& one) { return one.first == value; })->second;
}

template <typename Names>
auto value_in(const Names& names, const std::string& name) {
  const auto found = std::find_if(names.begin(), names.end(), [&](const auto& one) { return one.second == name; });
  if (found == names.end()) throw std::invalid_argument(fmt::format("'{}' is not known", name));
  return found->first;
}

// A number of what can be measured: positive, or 0 where that may be.
double number(const nlohmann::ordered_json& json, const char* key, bool may_be_zero = false) {
  const double value = json.at(key).get<double>();
  if (std::isfinite(value) && (value > 0 || (may_be_zero && value == 0))) return value;
  throw std::invalid_argument(fmt::format("{} is {}", key, value));
}

int count(const nlohmann::ordered_json& json, const char* key) {
  const auto value = json.at(key).get<std::int64_t>();
  if (value >= 1 && value <= 1'000'000'000) return static_cast<int>(value);
  throw std::invalid_argument(fmt::format("{} is {}", key, value));
}

RequestCell request_from(const nlohmann::ordered_json& json) {
  RequestCell cell;
  cell.access = value_in(kAccesses, json.at("access").get<std::string>());
  cell.sharing = value_in(kSharings, json.at("sharing").get<std::string>());
  cell.bytes = static_cast<std::uint64_t>(number(json, "bytes"));
  cell.ranks = count(json, "ranks");
  cell.threads = count(json, "threads");
  cell.cached = json.value("cached", false);
  cell.requests = json.value("requests", std::uint64_t{0});
  cell.request_s = number(json, "request_s");
  cell.late_s = json.value("late_s", cell.request_s);
  cell.bytes_per_s = number(json, "bytes_per_s");
  cell.least_bytes_per_s = json.value("least_bytes_per_s", cell.bytes_per_s);
  cell.most_bytes_per_s = json.value("most_bytes_per_s", cell.bytes_per_s);
  return cell;
}

}  // namespace

bool same_request(const RequestCell& one, const RequestCell& other) {
  return one.access == other.access && one.sharing == other.sharing && one.bytes == other.bytes &&
         one.ranks == other.ranks && one.threads == other.threads && one.cached == other.cached;
}

std::string_view name_of(Access access) { return name_in(kAccesses, access); }
std::string_view name_of(Sharing sharing) { return name_in(kSharings, sharing); }

layout::AccessCost StoreProfile::read_cost() const {
  const RequestCell* small = nullptr;
  const RequestCell* large = nullptr;
  for (const RequestCell& cell : requests) {
    if (cell.access != Access::read || cell.sharing != Sharing::own_files || cell.cached) continue;
    if (cell.ranks != 1 || cell.threads != 1) continue;
    if (small == nullptr || cell.bytes < small->bytes) small = &cell;
    if (large == nullptr || cell.bytes > large->bytes) large = &cell;
  }
  if (small == nullptr) {
    throw Error(ErrorKind::data, "store profile " + name, "says nothing of reads by one rank",
                "weft probe measures them");
  }
  layout::AccessCost cost;
  cost.latency_s = small->request_s;
  const double beyond = large->request_s - small->request_s;
  cost.bandwidth = beyond > 0 ? static_cast<double>(large->bytes - small->bytes) / beyond : large->bytes_per_s;
  return cost;
}

int StoreProfile::enough_writers() const {
  constexpr double kWorthIt = 1.1;
  std::uint64_t largest = 0;
  for (const RequestCell& cell : requests) {
    if (cell.access == Access::write && cell.sharing == Sharing::apart) largest = std::max(largest, cell.bytes);
  }
  std::vector<std::pair<int, double>> by_ranks;
  for (const RequestCell& cell : requests) {
    const bool alone = cell.ranks == 1 && cell.sharing == Sharing::own_files;
    if (cell.access != Access::write || cell.threads != 1 || cell.bytes != largest) continue;
    if (alone || cell.sharing == Sharing::apart) by_ranks.emplace_back(cell.ranks, cell.bytes_per_s);
  }
  std::ranges::sort(by_ranks);
  int enough = 1;
  double speed = 0;
  for (const auto& [writers, now] : by_ranks) {
    if (now < kWorthIt * speed) continue;
    enough = writers;
    speed = now;
  }
  return enough;
}

nlohmann::ordered_json to_json(const StoreProfile& profile) {
  nlohmann::ordered_json json{{"weft_store_profile", kVersion},
                              {"name", profile.name},
                              {"file_system", profile.file_system},
                              {"taken", profile.taken},
                              {"ranks", profile.ranks},
                              {"nodes", profile.nodes},
                              {"cores", profile.cores},
                              {"striping",
                               {{"bytes", profile.striping.bytes},
                                {"count", profile.striping.count},
                                {"known_from", profile.striping.known_from}}},
                              {"block_bytes", profile.block_bytes},
                              {"copy_bytes_per_s", profile.copy_bytes_per_s},
                              {"sync_bytes_per_s", profile.sync_bytes_per_s},
                              {"sync_records_bytes_per_s", profile.sync_records_bytes_per_s}};
  if (!profile.rates.empty()) json["rates"] = profile.rates;
  nlohmann::ordered_json& calls = json["calls"] = nlohmann::ordered_json::array();
  for (const CallCell& cell : profile.calls) {
    calls.push_back(
        {{"call", cell.call}, {"ranks", cell.ranks}, {"call_s", cell.call_s}, {"calls_per_s", cell.calls_per_s}});
  }
  nlohmann::ordered_json& requests = json["requests"] = nlohmann::ordered_json::array();
  for (const RequestCell& cell : profile.requests) {
    requests.push_back({{"access", name_of(cell.access)},
                        {"sharing", name_of(cell.sharing)},
                        {"bytes", cell.bytes},
                        {"ranks", cell.ranks},
                        {"threads", cell.threads},
                        {"cached", cell.cached},
                        {"requests", cell.requests},
                        {"request_s", cell.request_s},
                        {"late_s", cell.late_s},
                        {"bytes_per_s", cell.bytes_per_s},
                        {"least_bytes_per_s", cell.least_bytes_per_s},
                        {"most_bytes_per_s", cell.most_bytes_per_s}});
  }
  return json;
}

StoreProfile profile_from_json(const nlohmann::ordered_json& json, const std::string& where) {
  const char* what_to_do = "weft probe DIR --out FILE makes one";
  if (!json.is_object() || !json.contains("weft_store_profile")) {
    throw Error(ErrorKind::data, where, "is no store profile", what_to_do);
  }
  try {
    if (const int version = json.at("weft_store_profile").get<int>(); version != kVersion) {
      throw std::invalid_argument(fmt::format("version {} is not known", version));
    }
    StoreProfile profile;
    profile.name = json.value("name", "");
    profile.file_system = json.value("file_system", "");
    profile.taken = json.value("taken", "");
    profile.ranks = count(json, "ranks");
    profile.nodes = count(json, "nodes");
    if (json.value("cores", std::int64_t{0}) != 0) profile.cores = count(json, "cores");
    profile.copy_bytes_per_s = number(json, "copy_bytes_per_s", true);
    profile.sync_bytes_per_s = number(json, "sync_bytes_per_s", true);
    if (json.contains("sync_records_bytes_per_s")) {
      profile.sync_records_bytes_per_s = number(json, "sync_records_bytes_per_s", true);
    }
    profile.block_bytes = json.value("block_bytes", std::uint64_t{0});
    if (json.contains("rates")) {
      for (const auto& [name, rate] : json.at("rates").items()) profile.rates[name] = rate.get<double>();
    }
    if (json.contains("striping")) {
      const auto& striping = json.at("striping");
      profile.striping = {striping.value("bytes", std::uint64_t{0}), striping.value("count", std::uint64_t{0}),
                          striping.value("known_from", "")};
    }
    for (const auto& call : json.at("calls")) {
      profile.calls.push_back({call.at("call").get<std::string>(), count(call, "ranks"), number(call, "call_s"),
                               number(call, "calls_per_s")});
    }
    for (const auto& request : json.at("requests")) profile.requests.push_back(request_from(request));
    if (profile.requests.empty()) throw std::invalid_argument("there are no requests in it");
    return profile;
  } catch (const std::exception& error) {  // of nlohmann-json, or above
    throw Error(ErrorKind::data, where, fmt::format("is not a whole store profile: {}", error.what()), what_to_do);
  }
}

StoreProfile read_profile(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw system_error(path, "cannot be read", errno);
  try {
    return profile_from_json(nlohmann::ordered_json::parse(file, nullptr, false), path);
  } catch (const std::ios_base::failure& failure) {  // a folder, or a disk that fails
    throw system_error(path, "cannot be read", failure.code().value());
  }
}

}  // namespace weft::stores
