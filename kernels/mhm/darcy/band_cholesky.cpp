#include "kernels/mhm/darcy/band_cholesky.hpp"

#include <cmath>
#include <cstddef>

#include "weft/support/error.hpp"

namespace weft::kernels::mhm {

BandCholesky::BandCholesky(std::uint64_t rows, std::uint64_t width)
    : rows_(rows), width_(width), entries_(rows * (width + 1), 0.0) {}

void BandCholesky::factor() {
  for (std::uint64_t row = 0; row < rows_; ++row) {
    const std::uint64_t first = first_of(row);  // rows above reach further left
    for (std::uint64_t above = first; above <= row; ++above) {
      const double* const mine = &entries_[index(row, first)];
      const double* const its = &entries_[index(above, first)];
      double sum = entries_[index(row, above)];
      for (std::uint64_t k = 0; k < above - first; ++k) sum -= mine[k] * its[k];
      if (row > above) {
        entries_[index(row, above)] = sum / entries_[index(above, above)];
      } else if (sum > 0) {
        entries_[index(row, row)] = std::sqrt(sum);
      } else {
        throw Error(ErrorKind::data, "a local problem", "its matrix is not positive definite");
      }
    }
  }
}

void BandCholesky::solve(std::span<double> values) const {
  for (std::uint64_t row = 0; row < rows_; ++row) {
    double sum = values[row];
    for (std::uint64_t k = first_of(row); k < row; ++k) sum -= entries_[index(row, k)] * values[k];
    values[row] = sum / entries_[index(row, row)];
  }
  for (std::uint64_t row = rows_; row-- > 0;) {
    values[row] /= entries_[index(row, row)];
    for (std::uint64_t k = first_of(row); k < row; ++k) values[k] -= entries_[index(row, k)] * values[row];
  }
}

}  // namespace weft::kernels::mhm
