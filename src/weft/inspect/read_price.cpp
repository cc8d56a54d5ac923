#include "weft/inspect/read_price.hpp"

#include <hdf5.h>

#include <algorithm>
#include <cmath>

#include "weft/layout/read_cost.hpp"
#include "weft/storage/hdf5_handle.hpp"

namespace weft::inspect {

namespace {

// Runs looked at one by one; beyond, the rest is taken to go on alike.
constexpr std::uint64_t kMostRuns = 1 << 20;

std::uint64_t product(std::span<const std::uint64_t> factors) {
  std::uint64_t result = 1;
  for (const std::uint64_t factor : factors) result *= factor;
  return result;
}

// The chunks a box touches along one axis: the first, and how many.
struct Touched {
  std::uint64_t first;
  std::uint64_t count;
};

Touched touched_along(const layout::ChunkGrid& grid, const Box& box, std::size_t axis) {
  const std::uint64_t extent = grid.chunk()[axis];
  const std::uint64_t first = box.start[axis] / extent;
  return {first, (box.start[axis] + box.count[axis] - 1) / extent - first + 1};
}

std::uint64_t touched_chunks(const layout::ChunkGrid& grid, std::span<const Box> boxes) {
  std::uint64_t chunks = 0;
  std::uint64_t next_row = 0;  // the first row of chunks that no box before has touched
  for (const Box& box : boxes) {
    const Touched rows = touched_along(grid, box, 0);
    const std::uint64_t end = rows.first + rows.count;
    std::uint64_t count = end - std::min(end, boxes.size() == 1 ? rows.first : std::max(rows.first, next_row));
    next_row = end;
    for (std::size_t axis = 1; axis < box.count.size(); ++axis) count *= touched_along(grid, box, axis).count;
    chunks += count;
  }
  return chunks;
}

// A box is equal runs: the last axis from which on everything behind it is whole, in its chunk and in what is asked.
std::size_t run_axis(const layout::ChunkGrid& grid, const Box& box) {
  std::size_t axis = box.count.size() - 1;
  while (axis > 0 && box.count[axis] == grid.chunk()[axis] && box.start[axis] % grid.chunk()[axis] == 0) --axis;
  return axis;
}

Price run_by_run(const layout::ChunkGrid& grid, const Box& box) {
  const std::size_t axis = run_axis(grid, box);
  return {product(std::span(box.count).first(axis)) * touched_along(grid, box, axis).count,
          element_count(box.count) * grid.element_bytes()};
}

// Runs one after another through a buffer that holds what follows the beginning of the last run that was not in it.
class Sieve {
 public:
  Sieve(const layout::ChunkGrid& grid, const Box& box, std::uint64_t sieve_bytes)
      : box_(box), total_(grid.chunk_bytes()), sieve_(std::min(sieve_bytes, total_)), axis_(run_axis(grid, box)) {
    stride_.resize(box.count.size());
    std::uint64_t stride = grid.element_bytes();
    for (std::size_t axis = box.count.size(); axis-- > 0;) {
      stride_[axis] = stride;
      stride *= grid.shape()[axis];
      at_ += box.start[axis] * stride_[axis];
    }
    run_ = product(std::span(box.count).subspan(axis_)) * grid.element_bytes();
  }

  Price price() {
    const std::uint64_t runs = product(std::span(box_.count).first(axis_));
    if (run_ > sieve_) return {runs, runs * run_};
    Shape index(axis_, 0);
    std::uint64_t seen = 0;
    for (bool more = true; more && seen < kMostRuns; more = advance(index), ++seen) take();
    if (seen == runs) return price_;
    const double whole = static_cast<double>(runs) / static_cast<double>(seen);
    return {static_cast<std::uint64_t>(std::llround(static_cast<double>(price_.requests) * whole)),
            static_cast<std::uint64_t>(std::llround(static_cast<double>(price_.bytes) * whole))};
  }

 private:
  void take() {
    if (price_.requests > 0 && at_ >= begin_ && at_ + run_ <= end_) return;
    begin_ = at_;
    end_ = std::min(total_, at_ + sieve_);
    price_ = {price_.requests + 1, price_.bytes + end_ - begin_};
  }

  bool advance(Shape& index) {
    for (std::size_t axis = index.size(); axis-- > 0;) {
      at_ += stride_[axis];
      if (++index[axis] < box_.count[axis]) return true;
      at_ -= box_.count[axis] * stride_[axis];
      index[axis] = 0;
    }
    return false;
  }

  const Box& box_;
  std::uint64_t total_;
  std::uint64_t sieve_;
  std::size_t axis_;
  std::uint64_t run_ = 0;
  Shape stride_;
  std::uint64_t at_ = 0;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  Price price_;
};

// Of filtered chunks: each is read whole and decoded.
Price filtered_chunks(const Arrangement& stored, std::uint64_t chunks, std::uint64_t requests_each) {
  const auto count = static_cast<double>(chunks);
  return {chunks * requests_each, static_cast<std::uint64_t>(std::llround(count * stored.mean_chunk_bytes)),
          count * stored.decode_seconds};
}

}  // namespace

Hdf5Reader hdf5_reader_here() {
  Hdf5Reader reader;
  const storage::Handle access(H5Pcreate(H5P_FILE_ACCESS));
  int unused = 0;
  std::size_t slots = 0;
  std::size_t cache = 0;
  double preemption = 0;
  if (H5Pget_cache(access, &unused, &slots, &cache, &preemption) >= 0) reader.chunk_cache_bytes = cache;
  std::size_t sieve = 0;
  if (H5Pget_sieve_buf_size(access, &sieve) >= 0) reader.sieve_bytes = sieve;
  return reader;
}

Price through_weft(const Arrangement& stored, std::span<const Box> boxes, const layout::AccessCost& access) {
  if (stored.filtered) {
    const auto each = static_cast<std::uint64_t>(std::ceil(stored.mean_chunk_bytes));
    return filtered_chunks(stored, touched_chunks(stored.grid, boxes),
                           std::max<std::uint64_t>(1, ceil_div(each, access.max_request_bytes)));
  }
  Price price;
  for (const Box& box : boxes) {
    const layout::ReadCost cost = layout::predict(stored.grid, box, access);
    price = {price.requests + cost.requests, price.bytes + cost.bytes};
  }
  return price;
}

Price through_hdf5(const Arrangement& stored, std::span<const Box> boxes, const Hdf5Reader& reader) {
  const layout::ChunkGrid& grid = stored.grid;
  if (stored.filtered) return filtered_chunks(stored, touched_chunks(grid, boxes), 1);
  if (stored.chunked && grid.chunk_bytes() <= reader.chunk_cache_bytes) {
    const std::uint64_t chunks = touched_chunks(grid, boxes);
    return {chunks, chunks * grid.chunk_bytes()};
  }
  Price price;
  for (const Box& box : boxes) {
    const Price one = stored.chunked ? run_by_run(grid, box) : Sieve(grid, box, reader.sieve_bytes).price();
    price = {price.requests + one.requests, price.bytes + one.bytes};
  }
  return price;
}

}  // namespace weft::inspect
