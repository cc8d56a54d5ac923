#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "weft/inspect/inspection_report.hpp"

namespace weft::inspect {

namespace {

using nlohmann::json;

json price_json(const PricedRead& read, const Price& price, const layout::AccessCost& access) {
  return {{"requests", price.requests},
          {"bytes", price.bytes},
          {"amplification", read.amplification(price)},
          {"decode_seconds", price.decode_seconds},
          {"seconds", price.seconds(access)}};
}

json reads_json(const Inspection& one, const layout::AccessCost& access) {
  json reads = json::object();
  for (const PricedRead& read : one.reads) {
    json entry = {
        {"weight", read.weight},
        {"asked_bytes", read.asked_bytes},
        {"box", {{"start", read.box.start}, {"count", read.box.count}}},
        {"as_it_is", {{"hdf5", price_json(read, read.hdf5, access)}, {"weft", price_json(read, read.weft, access)}}},
        {"repacked", nullptr}};
    if (read.hdf5_repacked) {
      entry["repacked"] = {{"hdf5", price_json(read, *read.hdf5_repacked, access)},
                           {"weft", price_json(read, *read.weft_repacked, access)}};
    }
    reads[read.name] = std::move(entry);
  }
  return reads;
}

json axes_json(const survey::KnownAxes& known) {
  constexpr std::array<const char*, 3> kForms{"plain", "folded", "one a step"};
  json variables = json::array();
  for (const survey::Variable& variable : known.variables) {
    variables.push_back({{"name", variable.name}, {"units", variable.units}});
  }
  return {{"names", axis_names(known.axes)},
          {"convention", name_of(known.convention)},
          {"form", kForms.at(static_cast<std::size_t>(known.form))},
          {"shape", known.shape},
          {"time", known.time.empty() ? json(nullptr) : json(known.time)},
          {"time_units", known.time_units},
          {"variables", variables}};
}

json filters_json(const std::vector<storage::Filter>& filters) {
  json list = json::array();
  for (const storage::Filter& filter : filters) {
    list.push_back({{"id", filter.id}, {"name", filter.name}, {"settings", filter.settings}});
  }
  return list;
}

json compared_json(const std::optional<Compared>& compared) {
  if (!compared) return nullptr;
  const auto price = [](const Price& taken, double seconds) {
    return json{{"requests", taken.requests}, {"bytes", taken.bytes}, {"seconds", seconds}};
  };
  json measured = price(compared->measured, compared->seconds);
  if (compared->measured.requests == 0) measured["requests"] = measured["bytes"] = nullptr;  // nobody counted
  return {{"samples", compared->samples},
          {"predicted", price(compared->predicted, compared->predicted_seconds)},
          {"measured", measured}};
}

json measured_json(const Measured& measured) {
  json reads = json::object();
  for (const MeasuredRead& read : measured.reads) {
    reads[read.name] = {{"asked_bytes", read.asked_bytes},
                        {"hdf5", compared_json(read.hdf5)},
                        {"weft", compared_json(read.weft)},
                        {"left_out", read.left_out.empty() ? json(nullptr) : json(read.left_out)}};
  }
  return {{"cold", measured.cold}, {"reads", reads}};
}

json store_json(const layout::AccessCost& access) {
  return {{"latency_s", access.latency_s}, {"bandwidth", access.bandwidth}};
}

// Extents an axis may grow to; null where there is no limit.
json most_json(const survey::DatasetFacts& facts) {
  json most = json::array();
  for (const std::uint64_t extent : facts.most) most.push_back(extent == 0 ? json(nullptr) : json(extent));
  return most;
}

json dataset_json(const InspectionReport& report, const Inspection& one) {
  const survey::DatasetFacts& facts = one.facts;
  const std::uint64_t logical = facts.logical_bytes();
  json entry = {{"path", one.path()},
                {"datasets", one.alike},
                {"shape", facts.shape},
                {"most", most_json(facts)},
                {"scalar", facts.scalar},
                {"empty", facts.empty},
                {"type", facts.type},
                {"element_bytes", facts.element_bytes},
                {"storage", name_of(facts.storage)},
                {"chunk", facts.chunk.empty() ? json(nullptr) : json(facts.chunk)},
                {"filters", filters_json(facts.filters)},
                {"readable", storage::first_unknown(facts.filters) == nullptr},
                {"logical_bytes", logical},
                {"stored_bytes", facts.stored_bytes},
                {"stored_chunks", facts.stored_chunks},
                {"ratio", facts.stored_bytes == 0 || !facts.movable
                              ? json(nullptr)
                              : json(static_cast<double>(logical) / static_cast<double>(facts.stored_bytes))},
                {"padding_bytes", one.padding_bytes},
                {"index_bytes", facts.index_bytes},
                {"axes", one.known ? axes_json(*one.known) : json(nullptr)},
                {"reads", reads_json(one, report.question.question.access)},
                {"not_priced", one.not_priced.empty() ? json(nullptr) : json(one.not_priced)},
                {"better_chunk", one.better ? json(*one.better) : json(nullptr)},
                {"advice", nullptr}};
  if (one.advice.kind != AdviceKind::nothing) {
    const std::string command = command_for(report, one);
    entry["advice"] = {{"kind", name_of(one.advice.kind)},
                       {"text", one.advice.text},
                       {"command", command.empty() ? json(nullptr) : json(command)}};
  }
  if (const auto found = report.measured.find(facts.path); found != report.measured.end()) {
    entry["measured"] = measured_json(found->second);
  }
  return entry;
}

}  // namespace

json to_json(const InspectionReport& report) {
  const FileInspection& file = report.file;
  const Question& question = report.question.question;
  json datasets = json::array();
  for (const Inspection& one : file.datasets) datasets.push_back(dataset_json(report, one));
  json result = {
      {"file", report.question.path},
      {"file_bytes", file.survey.file_bytes},
      {"data_bytes", file.data_bytes},
      {"padding_bytes", file.padding_bytes},
      {"metadata_bytes", file.survey.metadata_bytes},
      {"free_bytes", file.survey.free_bytes},
      {"other_bytes", file.other_bytes},
      {"store", store_json(question.access)},
      {"ranks", question.ranks},
      {"hdf5", {{"chunk_cache_bytes", question.hdf5.chunk_cache_bytes}, {"sieve_bytes", question.hdf5.sieve_bytes}}},
      {"datasets", datasets}};
  if (report.measured_access_cost) result["measured_store"] = store_json(*report.measured_access_cost);
  return result;
}

}  // namespace weft::inspect
