#include "weft/reduce/map_rows.hpp"

#include "weft/reduce/beats.hpp"

namespace weft::reduce {

bool MapRows::put(std::uint64_t node, std::uint64_t beat, std::span<const double> values) {
  if (beat >= limits_.rows) return true;
  if (beat >= rows_.size()) rows_.resize(beat + 1);
  Row& row = rows_[beat];
  if (row.values.empty()) {
    if (*bytes_left_ < row_bytes()) return false;
    *bytes_left_ -= row_bytes();
    row.values.assign(limits_.quantities * limits_.nodes, kMissing);
  }
  for (std::size_t q = 0; q < values.size(); ++q) row.values[q * limits_.nodes + node] = values[q];
  ++row.nodes;
  return true;
}

bool MapRows::is_full(std::uint64_t beat) const { return beat < rows_.size() && rows_[beat].nodes == limits_.nodes; }

void MapRows::set_written(std::uint64_t beat) {
  rows_[beat].written = true;
  rows_[beat].values = {};
  *bytes_left_ += row_bytes();
}

std::span<double> MapRows::row(std::uint64_t beat) {
  return beat < rows_.size() ? std::span<double>(rows_[beat].values) : std::span<double>();
}

std::span<const double> MapRows::row(std::uint64_t beat) const {
  return beat < rows_.size() ? std::span<const double>(rows_[beat].values) : std::span<const double>();
}

}  // namespace weft::reduce
