// kernels/mhm/darcy/band_cholesky.hpp - symmetric positive definite systems whose entries lie near the diagonal.
//
// Only the lower half is kept, row by row: entry (r, c) with r - width <= c <= r. n rows take n (width + 1) doubles,
// and n width^2 operations. For one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft::kernels::mhm {

class BandCholesky {
 public:
  BandCholesky(std::uint64_t rows, std::uint64_t width);

  void add(std::uint64_t row, std::uint64_t column, double value) { entries_[index(row, column)] += value; }
  // The matrix becomes its factor. Throws Error(data) where it is not positive definite.
  void factor();
  // The right-hand side becomes the solution.
  void solve(std::span<double> values) const;

 private:
  std::uint64_t index(std::uint64_t row, std::uint64_t column) const {
    return row * (width_ + 1) + column + width_ - row;
  }
  std::uint64_t first_of(std::uint64_t row) const { return row > width_ ? row - width_ : 0; }

  std::uint64_t rows_;
  std::uint64_t width_;
  std::vector<double> entries_;
};

}  // namespace weft::kernels::mhm
