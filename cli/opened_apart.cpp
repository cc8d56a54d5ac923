#include "cli/opened_apart.hpp"

#include <fmt/format.h>

#include "weft/storage/series_file.hpp"
#include "weft/support/error.hpp"
#include "weft/support/own_process.hpp"
#include "weft/survey/open_file.hpp"

namespace weft::cli {

FoundSeries try_to_open(const std::string& path, const reading::SeriesChoice& choice, const std::string& field) {
  ReadOptions options;
  options.store = layout::Store{};  // nothing long is read: no need to measure
  options.choice = choice;
  const std::string found = in_own_process(path, false, [&](OwnProcess&) -> std::string {
    try {
      if (storage::is_series_file(survey::named_file(path).path)) return "weft";
    } catch (const Error&) {
      return "weft";
    }
    const SeriesReader tried = SeriesReader::open(path, options);
    if (!field.empty()) tried.reads_directly(field);
    return "foreign";
  });
  return found == "weft" ? FoundSeries::weft : FoundSeries::foreign;
}

CrashLine reading_crash_line(const std::string& path) {
  const Error crashed(ErrorKind::data, path, "is damaged: HDF5 crashed over it",
                      fmt::format("see what is left of it: weft verify {}", path));
  const std::string line = fmt::format("weft: error: {}", crashed.what());
  return CrashLine(line, line, crashed.exit_code());
}

}  // namespace weft::cli
