#include "kernels/io/kernel_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/support/amount.hpp"

namespace weft::kernels {

nlohmann::ordered_json to_json(const KernelPlan& plan) {
  nlohmann::ordered_json json = {{"kernel", plan.kernel},
                                 {"strategy", plan.strategy},
                                 {"ranks", plan.ranks},
                                 {"files", plan.files},
                                 {"file_bytes", plan.file_bytes}};
  json.update(nlohmann::ordered_json(to_json(plan.app)));
  json["mpi"] = to_json(plan.mpi);
  json["per_rank"] = {{"min_bytes", plan.min_bytes}, {"max_bytes", plan.max_bytes}};
  json.update(plan.facts);
  return json;
}

std::string sizes_text(const Calls& calls, std::size_t most) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes(calls.write_sizes.begin(), calls.write_sizes.end());
  std::stable_sort(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(most, sizes.size()); ++i) {
    text += fmt::format("{}{} x {}", i == 0 ? "" : ", ", format_bytes(sizes[i].first), format_count(sizes[i].second));
  }
  if (sizes.size() > most) text += fmt::format(", and {} other sizes", sizes.size() - most);
  return text.empty() ? "none" : text;
}

std::string to_text(const KernelPlan& plan) {
  std::string text = fmt::format("{} {} on {} {}: {} in {} {}\n", plan.kernel, plan.strategy, format_count(plan.ranks),
                                 plan.ranks == 1 ? "rank" : "ranks", format_bytes(plan.file_bytes),
                                 format_count(plan.files), plan.files == 1 ? "file" : "files");
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<9} {}\n", name, value);
  };
  for (const std::string& about : plan.about) line("", about);
  line("calls",
       fmt::format("{} opens, {} writes, {} seeks, {} closes", format_count(plan.app.opens),
                   format_count(plan.app.writes()), format_count(plan.app.seeks), format_count(plan.app.closes)));
  line("writes", sizes_text(plan.app));
  line("a rank", plan.min_bytes == plan.max_bytes
                     ? format_bytes(plan.min_bytes)
                     : fmt::format("{} to {}", format_bytes(plan.min_bytes), format_bytes(plan.max_bytes)));
  return text;
}

}  // namespace weft::kernels
