#include "weft/reading/snapshot_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "weft/support/error.hpp"
#include "weft/support/large_memory.hpp"

namespace weft {

namespace {

// A buffer of several steps saves requests, and copies each value once more, at some so many bytes a second.
constexpr double kCopyBandwidth = 10e9;

const storage::SegmentEntry& segment_of(const storage::SeriesCatalog& catalog, std::uint64_t step) {
  return *std::ranges::find_if(catalog.segments, [&](const storage::SegmentEntry& segment) {
    return step < segment.first_step + segment.steps;
  });
}

}  // namespace

SnapshotSweep::SnapshotSweep(const SeriesReader& reader, std::string field, std::uint64_t first, std::uint64_t last)
    : reader_(&reader),
      field_(std::move(field)),
      next_(first),
      last_(last),
      step_bytes_(element_count(reader.field(field_).per_step) * size_of(reader.field(field_).type)) {
  if (first > last) {
    throw Error(ErrorKind::usage, reader.path(), fmt::format("a sweep over steps {} to {} runs backwards", first, last),
                "give the first step and the one after the last");
  }
  reader.check_box(field_, steps_box(first, last - first));
  most_steps_ = choose_steps_at_once();
}

SnapshotSweep::SnapshotSweep(const SeriesReader& reader, std::string field)
    : SnapshotSweep(reader, std::move(field), 0, reader.committed()) {}

Box SnapshotSweep::steps_box(std::uint64_t first, std::uint64_t steps) const {
  Box box = whole(reader_->field(field_).per_step);
  box.start.insert(box.start.begin(), first);
  box.count.insert(box.count.begin(), steps);
  return box;
}

std::uint64_t SnapshotSweep::choose_steps_at_once() const {
  if (next_ == last_) return 1;
  const layout::AccessCost& access = reader_->access_cost();
  const layout::ReadCost one = reader_->predicted(field_, steps_box(next_, 1));
  const bool cheap =
      static_cast<double>(one.requests) * access.latency_s <= static_cast<double>(step_bytes_) / kCopyBandwidth;
  if (cheap && reader_->reads_directly(field_)) return 1;
  std::uint64_t chunk_steps = 1;
  for (const storage::SegmentEntry& segment : reader_->catalog().segments) {
    chunk_steps = std::max(chunk_steps, segment.fields[*reader_->catalog().find_field(field_)].chunk[0]);
  }
  const std::uint64_t fit = std::max<std::uint64_t>(1, reader_->options().budget_bytes / step_bytes_);
  return std::min({fit, chunk_steps, last_ - next_});
}

// Windows end where chunks do; a chunk that does not fit is divided into nearly equal windows.
std::uint64_t SnapshotSweep::window_end(std::uint64_t step) const {
  const storage::SegmentEntry& segment = segment_of(reader_->catalog(), step);
  const std::uint64_t chunk_steps = segment.fields[*reader_->catalog().find_field(field_)].chunk[0];
  const std::uint64_t per_window = ceil_div(chunk_steps, ceil_div(chunk_steps, most_steps_));
  const std::uint64_t in_chunk = (step - segment.first_step) % chunk_steps;
  const std::uint64_t end_in_chunk = std::min((in_chunk / per_window + 1) * per_window, chunk_steps);
  return std::min({step - in_chunk + end_in_chunk, segment.first_step + segment.steps, last_});
}

bool SnapshotSweep::next(std::span<std::byte> values) {
  if (values.size() != step_bytes_) {
    throw Error(ErrorKind::usage, reader_->path(),
                fmt::format("a snapshot of field '{}' takes {} bytes and was given memory for {}", field_, step_bytes_,
                            values.size()),
                "pass one step's values");
  }
  if (next_ == last_) return false;
  if (most_steps_ == 1) {
    reader_->read(field_, steps_box(next_, 1), values);
  } else {
    if (next_ >= window_end_) {
      if (!window_) {
        window_ = std::make_unique_for_overwrite<std::byte[]>(most_steps_ * step_bytes_);
        prefer_large_pages(window_.get(), most_steps_ * step_bytes_);
      }
      const std::uint64_t end = window_end(next_);
      const std::uint64_t steps = end - next_;
      reader_->read(field_, steps_box(next_, steps), std::span(window_.get(), steps * step_bytes_));
      window_first_ = next_;
      window_end_ = end;
    }
    std::memcpy(values.data(), window_.get() + (next_ - window_first_) * step_bytes_, step_bytes_);
  }
  ++next_;
  return true;
}

}  // namespace weft
