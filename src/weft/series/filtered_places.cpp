#include "weft/series/filtered_places.hpp"

#include <algorithm>

#include "weft/storage/file_end.hpp"
#include "weft/storage/filtered_chunks.hpp"
#include "weft/support/error.hpp"

namespace weft::series {

std::uint64_t FilteredPlaces::next(std::uint64_t mine) {
  constexpr std::uint64_t kLeastStride = 16ULL << 20;
  const std::uint64_t stride = std::max(kLeastStride, 4 * most_bytes_);
  const bool first = end_ahead_ == 0;
  if (first || end_of_data_ + 2 * most_bytes_ > end_ahead_) {
    agree_on(comm_, [&] {
      if (comm_.rank() != 0) return;
      if (first) end_of_data_ = storage::first_place(storage::end_of_file(catalog_.path), most_bytes_);
      storage::move_end_ahead(catalog_, end_of_data_, end_of_data_ + stride);
    });
    if (first) end_of_data_ = comm_.max(comm_.rank() == 0 ? end_of_data_ : 0);
    end_ahead_ = end_of_data_ + stride;
  }
  const std::uint64_t place = end_of_data_ + comm_.sum_before(mine);
  end_of_data_ += comm_.sum(mine);
  return place;
}

void FilteredPlaces::end_file() {
  if (end_ahead_ == 0) return;
  agree_on(comm_, [&] {
    if (comm_.rank() == 0) storage::cut_end(catalog_, end_of_data_);
  });
  end_ahead_ = 0;
}

}  // namespace weft::series
