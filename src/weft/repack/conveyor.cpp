#include "weft/repack/conveyor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "weft/support/error.hpp"
#include "weft/survey/box_copy.hpp"
#include "weft/survey/checksums.hpp"

namespace weft::repack {

// Part of a region's elements in memory: a decoded source chunk, or all of the region.
struct Conveyor::Piece {
  Box box;                    // of the dataset
  Shape extents;              // of the memory: a chunk's, padding included
  std::byte* data = nullptr;  // nullptr: never written, all of it the fill value
  std::unique_ptr<std::byte[]> memory;
};

struct Conveyor::Region {
  bool busy = false;
  Box box;
  std::vector<Piece> pieces;
  Box grid;  // the source chunks that are its pieces, in chunk coordinates; all zeros for one piece
  std::unique_ptr<std::byte[]> memory;  // of a piece that is all of the region; kept for the next one
  std::size_t fetched = 0;              // pieces
  std::uint64_t loads_left = 0;
  std::vector<std::uint64_t> targets;  // chunk numbers
  std::size_t next_target = 0;
  std::uint64_t stores_left = 0;
  bool storing = false;
};

// What a worker tells the caller's thread.
struct Conveyor::Happened {
  Region* region;
  bool loaded;  // else stored
  std::optional<ReadyChunk> ready;
};

namespace {

constexpr std::uint64_t kLoadsPerWorker = 4;

std::uint64_t number_of(const Shape& index, const Shape& shape, const Shape& chunk) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < index.size(); ++i) number = number * ceil_div(shape[i], chunk[i]) + index[i];
  return number;
}

// The chunk of this number, its padding at the edges included.
Box chunk_box_of(std::uint64_t number, const Shape& shape, const Shape& chunk) {
  Box box{Shape(shape.size()), chunk};
  for (std::size_t i = shape.size(); i-- > 0;) {
    const std::uint64_t along = ceil_div(shape[i], chunk[i]);
    box.start[i] = number % along * chunk[i];
    number /= along;
  }
  return box;
}

bool is_zero(const std::vector<std::byte>& element) {
  return std::all_of(element.begin(), element.end(), [](std::byte b) { return b == std::byte{0}; });
}

void fill_with(std::span<std::byte> chunk, const std::vector<std::byte>& element) {
  if (is_zero(element)) {
    std::memset(chunk.data(), 0, chunk.size());
    return;
  }
  for (std::size_t at = 0; at < chunk.size(); at += element.size()) {
    std::memcpy(chunk.data() + at, element.data(), element.size());
  }
}

std::uint64_t bytes_of(const Shape& extents, std::uint64_t element_bytes) {
  return element_count(extents) * element_bytes;
}

}  // namespace

Conveyor::Conveyor(Workers& workers, Conveyance conveyance) : workers_(workers), what_(std::move(conveyance)) {
  target_chunk_bytes_ = bytes_of(what_.sink.chunk, what_.element_bytes);
  if (what_.source.chunks != nullptr) source_chunk_bytes_ = bytes_of(what_.source.chunk, what_.element_bytes);
  for (std::uint64_t i = 0; i < what_.pass.in_flight; ++i) regions_.push_back(std::make_unique<Region>());
  for (int worker = 0; worker < workers_.count(); ++worker) {
    worker_chunks_.emplace_back();
    if (what_.source.chunks != nullptr && !what_.source.chunks->decoded_by_hdf5()) {
      decoders_.emplace_back(what_.source.filters);
    }
    if (what_.sink.array == nullptr && storage::coded_here(what_.sink.filters))
      encoders_.emplace_back(what_.sink.filters);
  }
}

// The workers may still be at it where run() threw: what they use must outlive them.
Conveyor::~Conveyor() {
  failed_ = true;
  std::unique_lock lock(mutex_);
  something_.wait(lock, [&] { return tasks_ == 0; });
}

void Conveyor::run(std::span<const std::uint64_t> regions) {
  std::size_t begun = 0;
  regions_done_ = 0;
  while (regions_done_ < regions.size()) {
    what_.check();
    std::deque<Happened> taken;
    bool did = wait_or_take(taken, false);
    for (Happened& happened : taken) handle(std::move(happened));

    Region* coming = nullptr;
    Region* free = nullptr;
    for (const auto& region : regions_) {
      if (region->busy && !region->storing && region->fetched < region->pieces.size()) coming = region.get();
      if (!region->busy) free = region.get();
    }
    if (coming != nullptr && on_their_way_ < what_.pass.chunks_in_flight) {
      fetch_next(*coming);
      did = true;
    } else if (coming == nullptr && free != nullptr && begun < regions.size()) {
      start(*free, regions[begun++]);
      did = true;
    }
    if (did) continue;
    wait_or_take(taken, true);
    for (Happened& happened : taken) handle(std::move(happened));
  }
}

// Takes what was reported; throws what failed. Whether there was anything.
bool Conveyor::wait_or_take(std::deque<Happened>& taken, bool wait) {
  std::unique_lock lock(mutex_);
  if (wait) {
    // Woken now and then without news, to be stopped by `check`.
    something_.wait_for(lock, std::chrono::milliseconds(200),
                        [&] { return !happened_.empty() || failure_ != nullptr; });
  }
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  taken.clear();
  taken.swap(happened_);
  return !taken.empty();
}

void Conveyor::report(Happened happened) {
  const std::lock_guard lock(mutex_);
  happened_.push_back(std::move(happened));
  --tasks_;
  something_.notify_all();
}

// What a task throws stops the conveyor. A task that ends well reports for itself.
void Conveyor::guarded(Region& region, const std::function<void()>& action, bool is_load) {
  std::exception_ptr failure;
  if (!failed_) {
    try {
      action();
      if (is_load) report({&region, true, std::nullopt});
      return;
    } catch (...) {
      failure = std::current_exception();
    }
  }
  const std::lock_guard lock(mutex_);
  failed_ = true;
  if (failure_ == nullptr) failure_ = failure;
  --tasks_;
  something_.notify_all();
}

std::unique_ptr<std::byte[]> Conveyor::memory_of_a_chunk() {
  if (spare_.empty()) return std::make_unique_for_overwrite<std::byte[]>(source_chunk_bytes_);
  std::unique_ptr<std::byte[]> memory = std::move(spare_.back());
  spare_.pop_back();
  return memory;
}

void Conveyor::start(Region& region, std::uint64_t number) {
  region.busy = true;
  region.storing = false;
  region.box = region_box(what_.shape, what_.pass.region, number);
  region.pieces.clear();
  region.fetched = 0;
  region.targets.clear();
  region.next_target = 0;
  if (what_.source.chunks == nullptr) {
    start_direct(region);
    return;
  }
  region.grid = survey::chunks_touched(region.box, what_.source.chunk);
  survey::for_each_index(region.grid, [&](const Shape& index) {
    Piece piece;
    piece.extents = what_.source.chunk;
    piece.box = {index, what_.source.chunk};
    for (std::size_t i = 0; i < index.size(); ++i) piece.box.start[i] *= what_.source.chunk[i];
    region.pieces.push_back(std::move(piece));
  });
  region.loads_left = region.pieces.size();
}

// All of the region as one piece, read by several workers: each some of the first axis that has more than one index.
void Conveyor::start_direct(Region& region) {
  if (region.memory == nullptr) region.memory = std::make_unique_for_overwrite<std::byte[]>(what_.pass.region_bytes);
  Piece& piece = region.pieces.emplace_back();
  piece.box = region.box;
  piece.extents = region.box.count;
  piece.data = region.memory.get();
  region.grid = {Shape(region.box.count.size(), 0), Shape(region.box.count.size(), 1)};
  region.fetched = 1;

  std::size_t axis = 0;
  while (axis + 1 < region.box.count.size() && region.box.count[axis] == 1) ++axis;
  const std::uint64_t along = region.box.count[axis];
  const std::uint64_t parts = std::min(along, kLoadsPerWorker * static_cast<std::uint64_t>(workers_.count()));
  const std::uint64_t bytes_each = bytes_of(region.box.count, what_.element_bytes) / along;
  region.loads_left = parts;
  {
    const std::lock_guard lock(mutex_);
    tasks_ += parts;
  }
  for (std::uint64_t part = 0; part < parts; ++part) {
    const std::uint64_t first = along * part / parts;
    const std::uint64_t last = along * (part + 1) / parts;
    Box box = region.box;
    box.start[axis] += first;
    box.count[axis] = last - first;
    workers_.submit([this, &region, box, first, last, bytes_each](int) {
      guarded(
          region,
          [&] {
            survey::read_box(*what_.source.array, *what_.source.bytes, box,
                             {region.memory.get() + first * bytes_each, (last - first) * bytes_each});
          },
          true);
    });
  }
}

void Conveyor::fetch_next(Region& region) {
  Piece& piece = region.pieces[region.fetched++];
  survey::WholeChunks::Stored stored = what_.source.chunks->fetch(piece.box.start);
  if (stored.bytes.empty()) {
    if (--region.loads_left == 0) begin_stores(region);
    return;
  }
  piece.memory = memory_of_a_chunk();
  piece.data = piece.memory.get();
  ++on_their_way_;
  {
    const std::lock_guard lock(mutex_);
    ++tasks_;
  }
  workers_.submit(
      [this, &region, &piece, raw = std::make_shared<survey::WholeChunks::Stored>(std::move(stored))](int worker) {
        guarded(
            region,
            [&] {
              const std::span<std::byte> chunk(piece.data, source_chunk_bytes_);
              if (raw->decoded) {
                std::copy(raw->bytes.begin(), raw->bytes.end(), chunk.begin());
                return;
              }
              try {
                decoders_[static_cast<std::size_t>(worker)].decode(raw->bytes, raw->skipped, chunk);
              } catch (const Error& error) {
                throw Error(error.kind(), fmt::format("{}, chunk at {}", what_.name, to_string(piece.box.start)),
                            error.what(), "its contents are lost; restore the file from its source");
              }
            },
            true);
      });
}

void Conveyor::begin_stores(Region& region) {
  region.storing = true;
  const bool nothing = what_.source.chunks != nullptr && std::all_of(region.pieces.begin(), region.pieces.end(),
                                                                     [](const Piece& p) { return p.data == nullptr; });
  if (nothing && (what_.sink.array == nullptr || is_zero(what_.fill))) {
    finish(region);
    return;
  }
  survey::for_each_index(survey::chunks_touched(region.box, what_.sink.chunk), [&](const Shape& index) {
    region.targets.push_back(number_of(index, what_.shape, what_.sink.chunk));
  });
  region.stores_left = region.targets.size();
  submit_stores(region);
}

void Conveyor::finish(Region& region) {
  for (Piece& piece : region.pieces) {
    if (piece.memory != nullptr) spare_.push_back(std::move(piece.memory));
  }
  region.busy = false;
  ++regions_done_;
  what_.moved(bytes_of(region.box.count, what_.element_bytes));
}

void Conveyor::submit_stores(Region& region) {
  while (region.next_target < region.targets.size() && on_their_way_ < what_.pass.chunks_in_flight) {
    const std::uint64_t target = region.targets[region.next_target++];
    ++on_their_way_;
    {
      const std::lock_guard lock(mutex_);
      ++tasks_;
    }
    workers_.submit([this, &region, target](int worker) {
      guarded(
          region, [&] { store(region, target, worker); }, false);
    });
  }
}

// False where nothing of the chunk was ever written.
bool Conveyor::put_together(const Region& region, const Box& chunk_box, const Box& part,
                            std::span<std::byte> chunk) const {
  const bool one_piece = what_.source.chunks == nullptr;
  const Box touched = one_piece ? region.grid : survey::chunks_touched(part, what_.source.chunk);
  const auto piece_at = [&](const Shape& index) -> const Piece& {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < index.size(); ++i) {
      number = number * region.grid.count[i] + index[i] - region.grid.start[i];
    }
    return region.pieces[number];
  };
  bool some = false;
  bool all = part.count == chunk_box.count;
  survey::for_each_index(touched, [&](const Shape& index) {
    const bool written = piece_at(index).data != nullptr;
    some = some || written;
    all = all && written;
  });
  if (!some) return false;
  if (!all) fill_with(chunk, what_.fill);
  survey::for_each_index(touched, [&](const Shape& index) {
    const Piece& piece = piece_at(index);
    if (piece.data == nullptr) return;
    const Box common = survey::common_part(part, piece.box);
    survey::copy_box({chunk.data(), chunk_box.count, survey::minus(common.start, chunk_box.start)},
                     {piece.data, piece.extents, survey::minus(common.start, piece.box.start)}, common.count,
                     what_.element_bytes);
  });
  return true;
}

// The checksum of what is about to be written. Each chunk is summed once, by one worker: regions hold chunks whole
// where checksums are asked for.
void Conveyor::sum_up(std::uint64_t target, const Box& part, std::span<const std::byte> chunk) const {
  if (what_.sink.sums.empty()) return;
  what_.sink.sums[target] = survey::chunk_checksum(chunk, what_.sink.chunk, part.count, what_.element_bytes);
}

void Conveyor::store(Region& region, std::uint64_t target, int worker) {
  const Box chunk_box = chunk_box_of(target, what_.shape, what_.sink.chunk);
  const Box part = survey::common_part(chunk_box, region.box);
  std::vector<std::byte>& chunk = worker_chunks_[static_cast<std::size_t>(worker)];
  chunk.resize(target_chunk_bytes_);
  const bool some = put_together(region, chunk_box, part, chunk);
  if (what_.sink.array != nullptr) {
    // A direct target has a place for every chunk, which reads as zeros until it is written.
    if (!some && is_zero(what_.fill)) {
      report({&region, false, std::nullopt});
      return;
    }
    if (!some) fill_with(chunk, what_.fill);
    sum_up(target, part, chunk);
    write_part(*what_.sink.array, *what_.sink.bytes, target, chunk_box.start, part, chunk);
    report({&region, false, std::nullopt});
    return;
  }
  if (!some) {
    report({&region, false, std::nullopt});
    return;
  }
  sum_up(target, part, chunk);
  ReadyChunk ready;
  ready.origin = chunk_box.start;
  if (encoders_.empty()) {
    ready.bytes = chunk;
  } else {
    storage::ChunkCoder::Encoded encoded = encoders_[static_cast<std::size_t>(worker)].encode(chunk);
    ready.bytes = std::move(encoded.bytes);
    ready.skipped = encoded.skipped;
  }
  report({&region, false, std::move(ready)});
}

void Conveyor::handle(Happened&& happened) {
  Region& region = *happened.region;
  if (happened.loaded) {
    if (what_.source.chunks != nullptr) --on_their_way_;
    if (--region.loads_left == 0) begin_stores(region);
  } else {
    if (happened.ready) what_.sink.ready(std::move(*happened.ready));
    --on_their_way_;
    if (--region.stores_left == 0) finish(region);
  }
  for (const auto& other : regions_) {
    if (other->busy && other->storing) submit_stores(*other);
  }
}

}  // namespace weft::repack
