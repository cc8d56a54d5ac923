// cli/text_table.hpp - rows of cells as aligned text for people.
#pragma once

#include <string>
#include <vector>

namespace weft::cli {

// One line a row, every column as wide as its widest cell: the first `left` columns to the left, the others to the
// right, two spaces between. All rows have as many cells as the first.
std::string text_table(const std::vector<std::vector<std::string>>& rows, std::size_t left);

}  // namespace weft::cli
