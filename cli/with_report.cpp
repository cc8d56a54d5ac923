#include "cli/with_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "cli/text_table.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/shape.hpp"

namespace weft::cli {

namespace {

using nlohmann::json;

// Numbers are added; of shapes and the like the first that says something is kept.
void add_numbers(json& sum, const json& part) {
  if (sum.is_null()) sum = json::object();
  for (const auto& [key, value] : part.items()) {
    if (value.is_object()) {
      add_numbers(sum[key], value);
    } else if (value.is_number_unsigned() || value.is_number_integer()) {
      sum[key] = sum.value(key, std::uint64_t{0}) + value.get<std::uint64_t>();
    } else if (value.is_number()) {
      sum[key] = sum.value(key, 0.0) + value.get<double>();
    }
  }
}

void add_dataset(json& sum, const json& part) {
  if (sum.is_null()) sum = json::object();
  for (const char* key : {"file", "path", "element_bytes", "filters", "cache_bytes"}) sum[key] = part[key];
  for (const char* key : {"shape", "chunk", "wanted_chunk"}) {
    if (!sum.contains(key) || sum[key].empty() || (std::string_view(key) == "shape" && part[key] > sum[key])) {
      sum[key] = part[key];
    }
  }
  sum["created"] = sum.value("created", false) || part["created"].get<bool>();
  for (const char* key : {"reads", "writes"}) add_numbers(sum[key], part[key]);
  for (const char* key : {"gathered_steps", "gathered_writes"}) {
    sum[key] = sum.value(key, std::uint64_t{0}) + part[key].get<std::uint64_t>();
  }
}

std::uint64_t number(const json& object, const char* key) { return object.value(key, std::uint64_t{0}); }

std::uint64_t chunk_bytes(const json& dataset) {
  return dataset["chunk"].empty() ? 0 : element_count(dataset["chunk"].get<Shape>()) * number(dataset, "element_bytes");
}

// What would help, from what was counted.
json advice_for(const json& dataset) {
  json advice = json::array();
  const std::uint64_t chunk = chunk_bytes(dataset);
  const std::uint64_t deep = dataset["chunk"].empty() ? 1 : dataset["chunk"][0].get<std::uint64_t>();
  std::vector<std::string> factors;
  std::vector<std::string> wanted;
  for (const auto& [kind, reads] : dataset["reads"].items()) {
    const json& requests = reads["requests"];
    const std::uint64_t asked = std::max<std::uint64_t>(1, number(reads, "bytes"));
    const double more = static_cast<double>(number(requests, "read_bytes")) / static_cast<double>(asked);
    // Few long requests for a call are what a good layout costs.
    if (more < 4 || number(requests, "read_bytes") < (1U << 20U) ||
        number(requests, "reads") < 4 * number(reads, "calls")) {
      continue;
    }
    if (number(requests, "chunk_loads") > 2 * number(reads, "chunks") / 3 && chunk > number(dataset, "cache_bytes")) {
      advice.push_back(
          fmt::format("a chunk has {}, and its cache {}: {} reads take {:.0f} times what they ask for. A "
                      "larger cache (H5Pset_chunk_cache), or: weft with --layout reads",
                      format_bytes(chunk), format_bytes(number(dataset, "cache_bytes")), kind, more));
    } else {
      const char* read = kind == "trace" ? "trace" : "snapshot";
      factors.push_back(fmt::format("{} reads take {:.0f} times", kind, more));
      if (std::ranges::find(wanted, read) == wanted.end()) wanted.emplace_back(read);
    }
  }
  if (!wanted.empty()) {  // one layout for all of them
    const std::string reads = fmt::format("{}=1", fmt::join(wanted, "=1,"));
    advice.push_back(
        fmt::format("{} the bytes that they ask for: weft repack FILE --read {}, or write it by: weft with "
                    "--layout reads --read {}",
                    fmt::join(factors, ", "), reads, reads));
  }
  for (const auto& [kind, writes] : dataset["writes"].items()) {
    const json& requests = writes["requests"];
    if (kind == "snapshot" && deep > 1 && number(dataset, "gathered_steps") == 0 &&
        number(requests, "writes") + number(requests, "reads") >= 2 * number(writes, "calls")) {
      advice.push_back(
          fmt::format("chunks hold {} steps, and each is written alone ({} requests for {} calls): "
                      "weft with --write-behind",
                      deep, format_count(number(requests, "writes") + number(requests, "reads")),
                      format_count(number(writes, "calls"))));
    }
    if (number(requests, "read_bytes") > number(writes, "bytes") / 2 && number(requests, "read_bytes") > (1U << 20U)) {
      advice.push_back(fmt::format("writing reads {} back: chunks are written in parts, and do not fit their cache",
                                   format_bytes(number(requests, "read_bytes"))));
    }
    const std::uint64_t calls = number(writes, "calls");
    if (kind != "whole" && calls >= 1000 && number(writes, "bytes") / calls < 4096 &&
        number(dataset, "gathered_steps") == 0 && dataset["shape"].size() > 1) {
      advice.push_back(fmt::format("{} calls of {} each: fewer and longer ones cost less", format_count(calls),
                                   format_bytes(number(writes, "bytes") / calls)));
    }
  }
  return advice;
}

std::string shape_text(const json& shape) { return shape.empty() ? "-" : to_string(shape.get<Shape>()); }

std::string share_text(const json& kind, const char* what) {
  const std::uint64_t asked = number(kind, "bytes");
  const std::uint64_t moved = number(kind["requests"], what);
  return asked == 0 ? "-" : fmt::format("{:.2f}", static_cast<double>(moved) / static_cast<double>(asked));
}

}  // namespace

json gathered_report(const std::string& folder) {
  std::map<std::pair<std::string, std::string>, json> datasets;
  std::map<std::string, json> files;
  std::set<std::string> versions;
  std::uint64_t processes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream stream(entry.path());
    const json part = json::parse(stream, nullptr, false);
    if (!part.is_object()) continue;  // of a process that was killed while it wrote it
    ++processes;
    versions.insert(part["hdf5"].get<std::string>());
    for (const json& dataset : part["datasets"]) add_dataset(datasets[{dataset["file"], dataset["path"]}], dataset);
    for (const json& file : part["files"]) add_numbers(files[file["file"].get<std::string>()], file);
  }
  json report = {{"processes", processes}, {"hdf5", versions}, {"datasets", json::array()}, {"files", json::array()}};
  for (auto& [key, dataset] : datasets) {
    dataset["advice"] = advice_for(dataset);
    report["datasets"].push_back(dataset);
  }
  for (auto& [name, file] : files) {
    file["file"] = name;
    report["files"].push_back(file);
  }
  return report;
}

std::string with_report_text(const json& report) {
  std::vector<std::vector<std::string>> rows{
      {"dataset", "shape", "chunk", "", "calls", "asked", "requests", "moved", "moved/asked", "loads", "in HDF5"}};
  std::string advice;
  for (const json& dataset : report["datasets"]) {
    const std::string name = dataset["path"].get<std::string>();
    for (const auto& [way, what, requests] :
         {std::tuple{"reads", "read_bytes", "reads"}, std::tuple{"writes", "write_bytes", "writes"}}) {
      for (const auto& [kind, counts] : dataset[way].items()) {
        const std::uint64_t together = number(counts, "collective");
        rows.push_back({name, shape_text(dataset["shape"]), shape_text(dataset["chunk"]),
                        fmt::format("{} {}{}", way == std::string_view("reads") ? "read" : "write", kind,
                                    together == 0                         ? ""
                                    : together == number(counts, "calls") ? ", collective"
                                                                          : ", mixed"),
                        format_count(number(counts, "calls")), format_bytes(number(counts, "bytes")),
                        format_count(number(counts["requests"], requests)),
                        format_bytes(number(counts["requests"], what)), share_text(counts, what),
                        format_count(number(counts["requests"], "chunk_loads")),
                        format_seconds(counts.value("seconds", 0.0))});
      }
    }
    if (const std::uint64_t steps = number(dataset, "gathered_steps"); steps > 0) {
      advice += fmt::format("{}: {} steps were written behind the program, in {} windows\n", name, format_count(steps),
                            format_count(number(dataset, "gathered_writes")));
    }
    for (const json& line : dataset["advice"]) advice += fmt::format("{}: {}\n", name, line.get<std::string>());
  }
  std::string text = text_table(rows, 4);
  std::vector<std::vector<std::string>> file_rows{
      {"file", "opened", "flushed", "open", "flush", "close", "read", "written"}};
  for (const json& file : report["files"]) {
    file_rows.push_back(
        {file["file"].get<std::string>(), format_count(number(file, "opens")), format_count(number(file, "flushes")),
         format_seconds(file.value("open_seconds", 0.0)), format_seconds(file.value("flush_seconds", 0.0)),
         format_seconds(file.value("close_seconds", 0.0)), format_bytes(number(file["requests"], "read_bytes")),
         format_bytes(number(file["requests"], "write_bytes"))});
  }
  text += "\n" + text_table(file_rows, 1);
  const std::uint64_t processes = number(report, "processes");
  text += fmt::format("\n{} with HDF5 {}{}\n", processes == 1 ? "1 process" : fmt::format("{} processes", processes),
                      fmt::join(report["hdf5"].get<std::vector<std::string>>(), ", "),
                      processes > 1 ? "; seconds are added up" : "");
  return advice.empty() ? text : text + "\n" + advice;
}

}  // namespace weft::cli
