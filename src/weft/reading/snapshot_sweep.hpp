// weft/reading/snapshot_sweep.hpp - visits snapshots in order, each byte read from the file once.
//
// Steps are the slowest axis inside a chunk, so k steps of a chunk lie in one run: reading k snapshots at once takes as
// many requests as reading one. On a distant store the sweep therefore reads windows of steps into a buffer, as many as
// the reader's budget holds, no more than share a chunk, and cut where chunks end. Where requests cost next to nothing
// beside the bytes (a warm local disk), or where not even two steps fit the budget, it reads one step at a time
// straight into the caller's memory and holds no buffer at all: a step larger than the budget is no error.
//
// Of a field whose chunks are decoded it always reads windows: each chunk is decoded once where the budget holds as
// many steps as share a chunk, and once a window otherwise.
//
// Worked: 151x400000x2 doubles in chunks of 19x3449x2 at 1 ms and 1 GB/s. A step is 6.4 MB in 116 requests; a budget of
// 256 MiB holds 41, a chunk 19: 8 windows of 19 steps (18 in the last), 121.6 MB, 116 requests each, instead of 151 x
// 116. With a budget of 64 MiB, 10 steps fit: windows of 10 and 9 steps.
//
// Owns its buffer (at most the budget); refers to the reader, which must outlive it and not be reloaded meanwhile. Not
// collective. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "weft/reading/series_reader.hpp"

#pragma GCC visibility push(default)

namespace weft {

class SnapshotSweep {
 public:
  // The snapshots of steps [first, last). Throws Error(usage) where they are not all committed.
  SnapshotSweep(const SeriesReader& reader, std::string field, std::uint64_t first, std::uint64_t last);
  // All committed ones.
  SnapshotSweep(const SeriesReader& reader, std::string field);

  // Fills `values` with the next snapshot; false, and nothing filled, behind the last. `values` is one step long.
  bool next(std::span<std::byte> values);
  template <typename T>
  bool next(std::span<T> values) {
    reader_->check_type(field_, data_type_of<T>());
    return next(std::as_writable_bytes(values));
  }

  std::uint64_t next_step() const { return next_; }  // the one next() delivers
  std::uint64_t step_bytes() const { return step_bytes_; }
  std::uint64_t elements() const { return step_bytes_ / size_of(reader_->field(field_).type); }
  std::uint64_t most_steps_at_once() const { return most_steps_; }

 private:
  Box steps_box(std::uint64_t first, std::uint64_t steps) const;
  std::uint64_t choose_steps_at_once() const;
  std::uint64_t window_end(std::uint64_t step) const;

  const SeriesReader* reader_;
  std::string field_;
  std::uint64_t next_;
  std::uint64_t last_;
  std::uint64_t step_bytes_;
  std::uint64_t most_steps_;
  std::unique_ptr<std::byte[]> window_;  // steps [window_first_, window_end_)
  std::uint64_t window_first_ = 0;
  std::uint64_t window_end_ = 0;
};

}  // namespace weft

#pragma GCC visibility pop
