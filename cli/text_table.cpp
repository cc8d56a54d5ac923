#include "cli/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

namespace weft::cli {

std::string text_table(const std::vector<std::vector<std::string>>& rows, std::size_t left) {
  std::vector<std::size_t> widths(rows.empty() ? 0 : rows[0].size());
  for (const auto& row : rows) {
    for (std::size_t column = 0; column < widths.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  std::string table;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < widths.size(); ++column) {
      if (column > 0) line += "  ";
      line += column < left ? fmt::format("{:<{}}", row[column], widths[column])
                            : fmt::format("{:>{}}", row[column], widths[column]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    table += line + "\n";
  }
  return table;
}

std::string listed(const std::string& name, const std::vector<std::string>& items) {
  constexpr std::size_t kMost = 10;
  std::string text;
  for (const std::string& item : items | std::views::take(kMost)) text += fmt::format("{}: {}\n", name, item);
  if (items.size() > kMost) text += fmt::format("{}: {} more; --json lists all\n", name, items.size() - kMost);
  return text;
}

}  // namespace weft::cli
