// weft/survey/array_batches.hpp - the values of an array of any layout, a batch at a time.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/support/data_type.hpp"
#include "weft/survey/dataset_reader.hpp"
#include "weft/survey/pieces.hpp"

namespace weft::survey {

// Calls visit(first, values) for batch after batch of the array, row-major: `first` is the number of the batch's first
// element, and the last `overlap` values of a batch are the first of the next, so that neighbours meet; a batch of one
// axis only may overlap. Throws Error(data) where the array cannot be read as T. Not collective.
template <typename T, typename Visit>
void each_batch(hid_t file, const std::string& path, std::uint64_t overlap, const Visit& visit) {
  constexpr std::uint64_t kElements = 1ULL << 20;
  DatasetReader reader(file, path, storage::native_type(data_type_of<T>()), {});
  const Shape& shape = reader.shape();
  const Pieces pieces(shape, row_major_piece(shape, kElements));
  std::vector<T> values;
  std::uint64_t first = 0;
  for (std::uint64_t n = 0; n < pieces.count(); ++n) {
    Box box = pieces.box(n);
    if (n > 0 && overlap > 0) {
      box.start[0] -= overlap;
      box.count[0] += overlap;
      first -= overlap;
    }
    values.resize(element_count(box.count));
    reader.read(box, std::as_writable_bytes(std::span(values)));
    visit(first, std::span<const T>(values));
    first += values.size();
  }
}

}  // namespace weft::survey
