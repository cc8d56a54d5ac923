#include "predict/series_shape.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "weft/series/field_layout.hpp"
#include "weft/storage/direct_writer.hpp"
#include "weft/storage/file_system.hpp"
#include "weft/support/data_type.hpp"
#include "weft/support/shape.hpp"

namespace weft::predict {

SeriesShape shape_on(const Surroundings& around) {
  SeriesShape shape;
  shape.ranks = around.ranks;
  shape.ranks_per_node = around.ranks_per_node;
  shape.most_request_bytes = around.most_request_bytes;
  shape.direct_from_bytes = around.direct_from_bytes;
  shape.page_cache = around.page_cache;
  shape.aligns = around.aligns;
  return shape;
}

std::uint64_t most_request_bytes(const stores::StoreProfile& profile) {
  return is_local(profile) ? 512ULL << 10 : 8ULL << 20;
}

std::uint64_t direct_from_bytes(const stores::StoreProfile& profile) {
  storage::FileSystem of;
  of.type = profile.file_system;
  if (of.direct_gain() == storage::DirectGain::large_requests) return 0;
  return is_local(profile) ? storage::comfortable_cache_bytes() : UINT64_MAX;
}

bool aligns(const stores::StoreProfile& profile) {
  storage::FileSystem of;
  of.type = profile.file_system;
  return of.alignment() > 0;
}

void say_alignment(bool file_system_aligns, std::uint64_t asked, Workload& work) {
  if (file_system_aligns && asked == 0) {
    work.leaves_out.emplace_back("that chunks begin at pages, as on this file system: say --align 4KiB");
  }
}

double clock_seconds(double commit_seconds) { return std::max(commit_seconds, 0.0) / 2; }

void say_past_the_cache(const SeriesShape& shape, Workload& work) {
  std::uint64_t bytes = 0;
  for (const FieldSpec& field : shape.fields) {
    bytes += element_count(field.per_step) * size_of(field.type) * shape.steps;
  }
  if (bytes >= shape.direct_from_bytes) {
    work.leaves_out.emplace_back("the system calls of requests that go past the page cache: each may be several");
  }
}

std::pair<std::vector<std::pair<std::string, double>>, double> reads_of(const SeriesShape& shape) {
  std::vector<std::pair<std::string, double>> reads;
  double all = 0;
  for (const FieldSpec& field : shape.fields) {
    const auto layout =
        series::choose_layout(field, shape.place_axes, shape.steps, static_cast<int>(shape.ranks), shape.align_bytes);
    const auto design = nlohmann::ordered_json::parse(layout.rationale);
    for (const auto& [read, cost] : design.at("reads").items()) {
      const auto seconds = cost.at("seconds").get<double>();
      all += seconds * cost.at("weight").get<double>();
      if (reads.size() < 3) reads.emplace_back(read, seconds);
    }
  }
  return {reads, all};
}

}  // namespace weft::predict
