// kernels/ecg/solve/sparse_rows.hpp - a rank's rows of a sparse matrix, gathered entry by entry.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::kernels::ecg {

// Row i has the columns[begins[i]] .. columns[begins[i + 1] - 1], ascending, and `values` as `columns`.
struct CompressedRows {
  std::vector<std::int32_t> begins;
  std::vector<std::int32_t> columns;
  std::vector<double> values;
};

class SparseRows {
 public:
  explicit SparseRows(std::int32_t rows) : rows_(static_cast<std::size_t>(rows)) {}

  // Adds to what is there. `row` counts from this rank's first one; `column` from the matrix's first one.
  void add(std::int32_t row, std::int32_t column, double value);
  CompressedRows compressed() const;

 private:
  struct Entry {
    std::int32_t column;
    double value;
  };
  std::vector<std::vector<Entry>> rows_;  // ascending columns; some fifteen a row
};

}  // namespace weft::kernels::ecg
