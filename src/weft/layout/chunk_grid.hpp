// weft/layout/chunk_grid.hpp - the chunks of a dataset: pure arithmetic.
//
// Chunks are numbered row-major over the grid of chunks, the order in which HDF5's implicit index stores them. Every
// chunk has the full chunk shape: those at the far edges are stored with their padding.
//
// Worked: 151x3253316x2 of 8 bytes in chunks of 151x434x2 is a grid of 1x7497x1 chunks of 1,048,544 bytes. The last
// one reaches 382 nodes past the edge (7,497 * 434 = 3,253,698), so waste() is 382 / 3,253,316 = 0.0117 %.
#pragma once

#include <cstdint>

#include "weft/support/shape.hpp"

#pragma GCC visibility push(default)

namespace weft::layout {

// HDF5 stores a chunk's size in 32 bits: a chunk is smaller than this.
inline constexpr std::uint64_t chunk_byte_limit = 1ULL << 32;

class ChunkGrid {
 public:
  // Throws Error(usage) unless both shapes have the same rank of at least 1, every extent is at least 1, the chunk fits
  // inside the dataset and stays below 4 GiB, and the stored bytes (padding included) fit 63 bits.
  ChunkGrid(Shape shape, Shape chunk, std::uint64_t element_bytes);

  // As a dataset lies in a file: the chunks of one that may grow may reach beyond it, and are stored whole all the
  // same. Throws Error(usage) as the constructor does for everything else.
  static ChunkGrid stored(const Shape& shape, const Shape& chunk, std::uint64_t element_bytes);
  // A dataset in one piece: one chunk as long as the dataset, which is no chunk of HDF5's and may be of any size.
  // Throws Error(usage) as the constructor does for everything else.
  static ChunkGrid contiguous(const Shape& shape, std::uint64_t element_bytes);

  const Shape& shape() const { return shape_; }
  const Shape& chunk() const { return chunk_; }
  const Shape& counts() const { return counts_; }  // chunks along each axis
  std::uint64_t element_bytes() const { return element_bytes_; }

  std::uint64_t chunk_elements() const { return chunk_elements_; }
  std::uint64_t chunk_bytes() const { return chunk_elements_ * element_bytes_; }
  std::uint64_t chunks() const { return chunks_; }

  // Elements allocated beyond the dataset, as a fraction of the dataset.
  double waste() const;

  // The number of the chunk at these chunk coordinates (each below counts()), and the way back.
  std::uint64_t linear(const Shape& chunk_coordinates) const;
  Shape coordinates(std::uint64_t linear) const;

 private:
  struct Limits {
    std::uint64_t most_chunk_bytes = chunk_byte_limit - 1;
    bool inside = true;  // the dataset
  };
  ChunkGrid(Shape shape, Shape chunk, std::uint64_t element_bytes, const Limits& limits);

  Shape shape_;
  Shape chunk_;
  Shape counts_;
  std::uint64_t element_bytes_;
  std::uint64_t chunk_elements_ = 1;
  std::uint64_t chunks_ = 1;
};

}  // namespace weft::layout

#pragma GCC visibility pop
