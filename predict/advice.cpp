#include "predict/advice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/support/error.hpp"

namespace weft::predict {

std::vector<Ranked> ranked(std::vector<Ranked> ways) {
  std::ranges::stable_sort(ways, {}, [](const Ranked& way) { return way.total.middle; });
  for (Ranked& way : ways) way.cannot_tell = &way != ways.data() && !way.total.apart_from(ways[0].total);
  return ways;
}

std::vector<Ranked> advise(const std::vector<Way>& ways, const stores::StoreProfile& profile, const Cluster& cluster) {
  if (ways.empty()) throw Error(ErrorKind::usage, "weft advise", "there is only one way to do it", "use weft predict");
  std::vector<Ranked> result;
  for (const Way& way : ways) {
    Ranked one{way.options, predict(way.work, profile, cluster), way.reads, {}, false};
    const Seconds& output = one.prediction.output;
    one.total = {output.middle + way.reads_s, output.least + way.reads_s / kModelError,
                 output.most + way.reads_s * kModelError};
    result.push_back(std::move(one));
  }
  return ranked(std::move(result));
}

std::vector<std::string> striping_commands(const stores::StoreProfile& profile, std::uint64_t writers,
                                           const std::string& folder) {
  // As many stripes as write at a time: more bring nothing, and each one costs an open of its own. How many servers
  // there are is not in a profile; both commands take fewer where there are not so many.
  const std::uint64_t stripes = std::clamp<std::uint64_t>(writers, 1, 64);
  const std::uint64_t bytes = profile.striping.bytes > 0 ? profile.striping.bytes : 1ULL << 20;
  if (profile.file_system == "lustre") {
    return {fmt::format("lfs setstripe -c {} -S {} {}", stripes, bytes, folder)};
  }
  if (profile.file_system.find("beegfs") != std::string::npos) {
    return {fmt::format("beegfs-ctl --setpattern --numtargets={} --chunksize={} {}", stripes, bytes, folder)};
  }
  return {};
}

nlohmann::ordered_json to_json(const std::vector<Ranked>& ways) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Ranked& way : ways) {
    nlohmann::ordered_json one = {
        {"options", way.options},
        {"total", {{"middle", way.total.middle}, {"least", way.total.least}, {"most", way.total.most}}},
        {"cannot_tell_from_first", way.cannot_tell}};
    for (const auto& [read, seconds] : way.reads) one["reads"][read] = seconds;
    one["prediction"] = to_json(way.prediction);
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace weft::predict
