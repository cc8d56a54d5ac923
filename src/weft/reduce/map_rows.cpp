#include "weft/reduce/map_rows.hpp"

#include "weft/reduce/beats.hpp"

namespace weft::reduce {

bool MapRows::put(std::size_t quantity, std::uint64_t node, std::uint64_t beat, double value) {
  if (beat >= limits_.rows) return true;
  if (beat >= rows_.size()) rows_.resize(beat + 1);
  Row& row = rows_[beat];
  if (row.values.empty()) {
    if (*bytes_left_ < row_bytes()) return false;
    *bytes_left_ -= row_bytes();
    row.values.assign(limits_.quantities * limits_.nodes, kMissing);
  }
  row.values[quantity * limits_.nodes + node] = value;
  return true;
}

void MapRows::settled(std::uint64_t beat, const Write& write) {
  if (beat >= rows_.size()) return;
  Row& row = rows_[beat];
  if (++row.settled < limits_.nodes) return;
  write(beat, row.values);
  row.written = true;
  drop(beat);
}

std::span<double> MapRows::row(std::uint64_t beat) {
  return beat < rows_.size() ? std::span<double>(rows_[beat].values) : std::span<double>();
}

void MapRows::drop(std::uint64_t beat) {
  if (beat >= rows_.size() || rows_[beat].values.empty()) return;
  *bytes_left_ += row_bytes();
  rows_[beat].values = {};
}

}  // namespace weft::reduce
