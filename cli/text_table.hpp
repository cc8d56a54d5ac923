// cli/text_table.hpp - rows of cells as aligned text for people, and lists that may be long.
#pragma once

#include <string>
#include <vector>

namespace weft::cli {

// One line a row, every column as wide as its widest cell: the first `left` columns to the left, the others to the
// right, two spaces between. All rows have as many cells as the first.
std::string text_table(const std::vector<std::vector<std::string>>& rows, std::size_t left);

// "NAME: ITEM", a line each; of many items the first ten, and a line that says how many more there are.
std::string listed(const std::string& name, const std::vector<std::string>& items);

}  // namespace weft::cli
