// weft/survey/pieces.hpp - an array cut into equal boxes: its chunks, or whatever it is to be walked in. Pure
// arithmetic.
//
// Pieces are numbered row-major. Those at the far edges are cut to the array, so together they are its elements, each
// once; a piece may be larger than the array (HDF5's chunks may, where a dataset can grow).
//
// Worked: (5, 7) in pieces of (2, 4) are 3 x 2; piece 3 is [2:4, 4:7], piece 5 is [4:5, 4:7].
#pragma once

#include <cstdint>
#include <string>

#include "weft/support/shape.hpp"

#pragma GCC visibility push(default)

namespace weft::survey {

class Pieces {
 public:
  // Throws Error(usage) unless `piece` has as many axes as `shape`, and every extent of it is at least 1.
  Pieces(Shape shape, Shape piece);

  const Shape& shape() const { return shape_; }
  const Shape& piece() const { return piece_; }
  const Shape& counts() const { return counts_; }  // along each axis
  std::uint64_t count() const { return count_; }   // 0 where the array has no elements

  // Piece `number`, which must be below count().
  Box box(std::uint64_t number) const;

 private:
  Shape shape_;
  Shape piece_;
  Shape counts_;
  std::uint64_t count_ = 1;
};

// {40, 5000, 1} -> "[40, 5000, 1]": the index of an element, as h5py and NumPy take it.
std::string index_text(const Shape& index);

// A piece of whole rows, of whole planes, ...: elements that follow each other row-major, at most `most_elements` of
// them, and at least 1. (151, 400000, 2) and 1,000,000 give (1, 400000, 2); 100,000 give (1, 50000, 2).
Shape row_major_piece(const Shape& shape, std::uint64_t most_elements);

}  // namespace weft::survey

#pragma GCC visibility pop
