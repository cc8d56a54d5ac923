#include "weft/series/filtered_places.hpp"

#include <algorithm>
#include <utility>

#include "weft/storage/file_end.hpp"
#include "weft/storage/filtered_chunks.hpp"
#include "weft/support/error.hpp"

namespace weft::series {

std::uint64_t FilteredPlaces::next(std::uint64_t mine) {
  if (end_ahead_ == 0) {
    agree_on(comm_, [&] {
      if (comm_.rank() != 0) return;
      end_of_data_ = storage::first_place(storage::end_of_file(catalog_.path), most_bytes_);
    });
    first_of_data_ = end_ahead_ = end_of_data_ = comm_.max(comm_.rank() == 0 ? end_of_data_ : 0);
  }
  const std::uint64_t window = comm_.sum(mine);
  if (end_of_data_ + window > end_ahead_ && moves_to_ == 0) begin_move();
  if (end_of_data_ + window > end_ahead_) end_move();
  const std::uint64_t place = end_of_data_ + comm_.sum_before(mine);
  end_of_data_ += window;
  if (end_of_data_ + 2 * most_bytes_ > end_ahead_ && moves_to_ == 0) begin_move();
  return place;
}

void FilteredPlaces::begin_move() {
  constexpr std::uint64_t kLeastStride = 16ULL << 20;
  moves_to_ = end_of_data_ + std::max({kLeastStride, 4 * most_bytes_, (end_of_data_ - first_of_data_) / 4});
  if (comm_.rank() != 0) return;
  // Deferred where the system gives no thread.
  being_moved_ = std::async(std::launch::async | std::launch::deferred, [this, data = end_of_data_, ahead = moves_to_] {
    storage::move_end_ahead(catalog_, data, ahead, durably_);
  });
}

// Collective.
void FilteredPlaces::end_move() {
  const std::uint64_t ahead = std::exchange(moves_to_, 0);
  agree_on(comm_, [&] {
    if (being_moved_.valid()) being_moved_.get();
  });
  end_ahead_ = ahead;
}

void FilteredPlaces::end_file() {
  if (end_ahead_ == 0) return;
  if (being_moved_.valid()) being_moved_.wait();  // and if that has failed: nobody needs it
  being_moved_ = {};
  moves_to_ = 0;
  agree_on(comm_, [&] {
    if (comm_.rank() == 0) storage::cut_end(catalog_, end_of_data_, durably_);
  });
  end_ahead_ = 0;
}

}  // namespace weft::series
