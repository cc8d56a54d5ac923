#include "cli/opened_apart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/object_header.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/support/error.hpp"
#include "weft/survey/open_file.hpp"

namespace weft::cli {

OwnProcessLimits opening_limits(const std::string& path) {
  std::error_code none;
  const auto bytes = static_cast<double>(std::filesystem::file_size(survey::named_file(path).path, none));
  OwnProcessLimits limits;
  // Every dataset is looked at, and takes a kilobyte or more: 13,000 of them take a second.
  limits.compute_without_a_word = std::min(300.0, kComputeWithoutAWord + (none ? 0 : bytes / 5e6));
  return limits;
}

namespace {

// Weft's own metadata have checksums: where the first of them are right, no crash is to be feared, nor a child needed.
bool begins_whole(const std::string& path) {
  try {
    return storage::begins_as_series(*storage::open_store(path, storage::OpenMode::read));
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

FoundSeries try_to_open(const std::string& path, const reading::SeriesChoice& choice, const std::string& field) {
  if (begins_whole(survey::named_file(path).path)) return FoundSeries::weft;
  ReadOptions options;
  options.access = layout::AccessCost{};  // nothing long is read: no need to measure
  options.choice = choice;
  const auto try_it = [&](OwnProcess&) -> std::string {
    try {
      if (storage::is_series_file(survey::named_file(path).path)) return "weft";
    } catch (const Error&) {
      return "weft";
    }
    const SeriesReader tried = SeriesReader::open(path, options);
    if (!field.empty()) tried.reads_directly(field);
    return "foreign";
  };
  const std::string found = in_own_process(path, false, try_it, opening_limits(path));
  return found == "weft" ? FoundSeries::weft : FoundSeries::foreign;
}

CrashLine reading_crash_line(const std::string& path) {
  const Error crashed(ErrorKind::data, path, "is damaged: HDF5 crashed on it",
                      fmt::format("see what is left of it: weft verify {}", path));
  const std::string line = fmt::format("weft: error: {}", crashed.what());
  return CrashLine(line, line, crashed.exit_code());
}

}  // namespace weft::cli
