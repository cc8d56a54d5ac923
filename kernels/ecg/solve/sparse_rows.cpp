#include "kernels/ecg/solve/sparse_rows.hpp"

#include <algorithm>

namespace weft::kernels::ecg {

void SparseRows::add(std::int32_t row, std::int32_t column, double value) {
  std::vector<Entry>& entries = rows_[static_cast<std::size_t>(row)];
  const auto at = std::lower_bound(entries.begin(), entries.end(), column,
                                   [](const Entry& entry, std::int32_t wanted) { return entry.column < wanted; });
  if (at != entries.end() && at->column == column) {
    at->value += value;
  } else {
    entries.insert(at, {column, value});
  }
}

CompressedRows SparseRows::compressed() const {
  CompressedRows out;
  out.begins.push_back(0);
  for (const std::vector<Entry>& entries : rows_) {
    for (const Entry& entry : entries) {
      out.columns.push_back(entry.column);
      out.values.push_back(entry.value);
    }
    out.begins.push_back(static_cast<std::int32_t>(out.columns.size()));
  }
  return out;
}

}  // namespace weft::kernels::ecg
