#include "cli/opened_apart.hpp"

#include <fmt/format.h>

#include "cli/on_ranks.hpp"
#include "weft/support/error.hpp"
#include "weft/support/own_process.hpp"

namespace weft::cli {

void try_to_open(const std::string& path, const reading::SeriesChoice& choice, const std::string& field) {
  if (is_launched()) return;
  ReadOptions options;
  options.store = layout::Store{};  // nothing long is read: no need to measure
  options.choice = choice;
  in_own_process(path, false, [&](OwnProcess&) {
    const SeriesReader tried = SeriesReader::open(path, options);
    if (!field.empty()) tried.reads_directly(field);
    return std::string();
  });
}

CrashLine reading_crash_line(const std::string& path) {
  const Error crashed(ErrorKind::data, path, "is damaged: HDF5 crashed over it",
                      fmt::format("see what is left of it: weft verify {}", path));
  const std::string line = fmt::format("weft: error: {}", crashed.what());
  return CrashLine(line, line, crashed.exit_code());
}

}  // namespace weft::cli
