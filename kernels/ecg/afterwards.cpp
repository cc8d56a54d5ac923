#include "kernels/ecg/afterwards.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "kernels/ecg/plain_file.hpp"
#include "kernels/ecg/plain_reduction.hpp"
#include "kernels/ecg/plain_source.hpp"
#include "weft/convert/conversion.hpp"
#include "weft/reading/series_reader.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/progress.hpp"
#include "weft/support/stopwatch.hpp"

namespace weft::kernels::ecg {

namespace {

using nlohmann::json;

constexpr const char* kField = "V";
constexpr const char* kQuantities = "activation_time,peak,apd_90";

// What is in the file. Its cost needs no measuring: nothing is read through it but the times.
SeriesReader open_series(Communicator& comm, const std::string& path) {
  ReadOptions options;
  options.access = layout::AccessCost{};
  return SeriesReader::open(comm, path, options);
}

std::uint64_t chunk_bytes(const SeriesReader& reader) {
  const storage::ArrayEntry& field = reader.catalog().segments.at(0).fields.at(1);
  return element_count(field.chunk) * size_of(field.type);
}

// As each phase is a program of its own elsewhere, each opens the file anew.
struct Opened {
  SeriesReader reader;
  std::optional<PlainFile> file;
  Opened(Communicator& comm, const std::string& path, std::uint64_t cache_bytes) : reader(open_series(comm, path)) {
    agree_on(comm, [&] { file.emplace(path, cache_bytes); });
  }
  void report_reading(Communicator& comm, json& report) const {
    report["reading_seconds"] = slowest(comm, file->seconds());
    report["reads"] = comm.sum(file->reads());
    report["bytes_read"] = comm.sum(file->bytes());
  }
};

void remove_file(const std::string& path) {
  if (std::remove(path.c_str()) != 0) throw system_error(path, "cannot remove", errno);
}

json convert_plainly(Communicator& comm, const std::string& path, const std::string& folder,
                     const Afterwards& afterwards, bool shown) {
  const Stopwatch clock;
  Opened opened(comm, path, afterwards.cache_bytes);
  std::optional<PlainSource> source;
  agree_on(comm, [&] { source.emplace(opened.reader, *opened.file); });
  Progress progress("converting", "step", source->times().size(), shown);
  convert::Conversion conversion;
  conversion.file.path = path;
  conversion.out = folder;
  conversion.steps_at_once = 1;
  conversion.budget_bytes = ~0ULL;  // the older ways take the memory they need
  conversion.progress = [&](std::uint64_t done, std::uint64_t) { progress.update(done); };
  if (!afterwards.keep) conversion.written = remove_file;
  const convert::ConversionReport made = convert::convert_source(comm, conversion, *source);
  json report = {{"files", made.files}, {"bytes", made.bytes}, {"steps", made.steps}, {"kept", afterwards.keep}};
  if (afterwards.keep) report["out"] = made.out;
  opened.report_reading(comm, report);
  report["seconds"] = slowest(comm, clock.seconds());
  return report;
}

json post_process_plainly(Communicator& comm, const std::string& path, const std::string& folder,
                          const Afterwards& afterwards, bool shown) {
  const Stopwatch clock;
  Opened opened(comm, path, afterwards.cache_bytes);
  std::optional<Progress> progress;
  PlainReduction reduction;
  reduction.field = kField;
  reduction.quantities = reduce::parse_quantities(kQuantities);
  reduction.settings = afterwards.settings;
  reduction.out = folder + "/maps.h5";
  reduction.progress = [&](std::uint64_t done, std::uint64_t of) {
    if (!progress) progress.emplace("post-processing", "node", of, shown);
    progress->update(done);
  };
  const PlainReductionReport made = reduce_plainly(comm, reduction, opened.reader, *opened.file);
  json names = json::array();
  for (const reduce::Quantity& quantity : reduction.quantities) names.push_back(quantity.name);
  json report = {{"nodes", made.nodes},           {"field", kField},
                 {"quantities", names},           {"maps", reduction.out},
                 {"most_beats", made.most_beats}, {"nodes_with_more_beats_than_rows", made.beyond_rows}};
  opened.report_reading(comm, report);
  report["seconds"] = slowest(comm, clock.seconds());
  return report;
}

}  // namespace

void check_afterwards(const Afterwards& afterwards) {
  reduce::check_settings("--afterwards", reduce::parse_quantities(kQuantities), 0, afterwards.settings);
}

json do_afterwards(Communicator& comm, const std::string& path, const Afterwards& afterwards, bool progress) {
  const std::string folder = path + ".afterwards";
  agree_on(comm, [&] {
    if (comm.rank() != 0) return;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw system_error(folder, "cannot make the folder", error.value());
  });
  const bool shown = progress && comm.rank() == 0;
  json report = {{"way", "paper"}, {"folder", folder}, {"cache_bytes", afterwards.cache_bytes}};
  report["chunks_in_cache"] = afterwards.cache_bytes / chunk_bytes(open_series(comm, path));
  report["conversion"] = convert_plainly(comm, path, folder, afterwards, shown);
  report["post_processing"] = post_process_plainly(comm, path, folder, afterwards, shown);
  return report;
}

void tell_afterwards(const json& report, const TellLine& line) {
  const auto count = [](const json& value) { return format_count(value.get<std::uint64_t>()); };
  const auto seconds = [](const json& value) { return format_seconds(value.get<double>()); };
  const json& conversion = report.at("conversion");
  line("conversion",
       fmt::format("{}, {} of it reading in {} reads: {} in {} VTU files, {}", seconds(conversion.at("seconds")),
                   seconds(conversion.at("reading_seconds")), count(conversion.at("reads")),
                   format_bytes(conversion.at("bytes").get<std::uint64_t>()), count(conversion.at("files")),
                   conversion.at("kept").get<bool>() ? conversion.at("out").get<std::string>()
                                                     : "each removed when it was whole"));
  const json& maps = report.at("post_processing");
  line("post-proc.",
       fmt::format("{}, {} of it reading in {} reads, node after node: {}", seconds(maps.at("seconds")),
                   seconds(maps.at("reading_seconds")), count(maps.at("reads")), maps.at("maps").get<std::string>()));
  const std::string cache = format_bytes(report.at("cache_bytes").get<std::uint64_t>());
  if (report.at("chunks_in_cache").get<std::uint64_t>() == 0) {
    line("HDF5 cache", fmt::format("{} on a rank, smaller than a chunk: HDF5 does without", cache));
  } else {
    line("HDF5 cache", fmt::format("{} on a rank, for {} chunks", cache, count(report.at("chunks_in_cache"))));
  }
}

}  // namespace weft::kernels::ecg
