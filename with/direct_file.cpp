#include "with/direct_file.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "weft/storage/file_system.hpp"
#include "weft/survey/box_copy.hpp"
#include "with/chunk_runs.hpp"

namespace weft::with {

namespace {

// Chunks that follow each other in the file are written together, up to this.
constexpr std::uint64_t kLongestWrite = 2ULL << 20U;
constexpr std::size_t kMostParts = 1024;   // of a write: what systems take
constexpr std::uint64_t kShortRun = 2048;  // shorter ones are copied together: a part of a write costs, too
constexpr std::size_t kMostSpares = 16;

// What the windows of a batch have of a chunk.
struct Piece {
  const StepWindow* window;
  Box filled;  // what the window has in all
  Box part;    // of the chunk
  // Where the part begins in the window's memory.
  Shape from() const {
    Shape at = survey::minus(part.start, filled.start);
    at[window->axis()] += window->memory_box().start[window->axis()];
    return at;
  }
};

struct ChunkPieces {
  std::vector<Piece> pieces;
  std::vector<ByteRun> runs;
  std::uint64_t element_bytes = 0;

  std::uint64_t bytes_in_windows() const {
    std::uint64_t elements = 0;
    for (const Piece& piece : pieces) elements += element_count(piece.part.count);
    return elements * element_bytes;
  }
};

ChunkPieces pieces_of(const Batch& batch, const PlacedChunk& placed) {
  ChunkPieces found;
  found.element_bytes = batch.element_bytes;
  const Box chunk{placed.start, batch.chunk};
  std::vector<Box> boxes;
  for (const StepWindow& window : batch.windows) {
    if (window.nothing()) continue;
    Box filled = window.filled();
    Box part = survey::common_part(filled, chunk);
    if (survey::is_empty(part)) continue;
    boxes.push_back(batch.zero_padding ? with_padding(filled, batch.extents, chunk) : filled);
    found.pieces.push_back({&window, std::move(filled), std::move(part)});
  }
  found.runs = runs_in_chunk(chunk, boxes, batch.element_bytes);
  return found;
}

// Values that lie in a window as they do in the chunk.
struct ValueRun {
  std::uint64_t offset;  // in the chunk
  const std::byte* data;
  std::uint64_t bytes;
};

// What is written from the window as it is, one copy less: rows of one piece that are not short. Nothing where the
// chunk has to be put together.
std::vector<ValueRun> runs_of_window(const Batch& batch, const PlacedChunk& placed, const ChunkPieces& pieces) {
  std::uint64_t written = 0;
  for (const ByteRun& run : pieces.runs) written += run.bytes;
  if (pieces.pieces.size() != 1 || written != pieces.bytes_in_windows()) return {};  // padding
  const Piece& piece = pieces.pieces[0];
  const Shape memory = piece.window->memory_shape();
  const Shape& count = piece.part.count;
  std::size_t split = count.size() - 1;  // the last axis that either side does not fill with all behind it
  while (split > 0 && count[split] == batch.chunk[split] && count[split] == memory[split]) --split;
  std::vector<std::uint64_t> in_chunk(count.size(), batch.element_bytes);
  std::vector<std::uint64_t> in_memory(count.size(), batch.element_bytes);
  for (std::size_t axis = count.size() - 1; axis > 0; --axis) {
    in_chunk[axis - 1] = in_chunk[axis] * batch.chunk[axis];
    in_memory[axis - 1] = in_memory[axis] * memory[axis];
  }
  const std::uint64_t bytes = count[split] * in_chunk[split];
  if (bytes < kShortRun && bytes < written) return {};
  const Shape to = survey::minus(piece.part.start, placed.start);
  const Shape from = piece.from();
  Box rows{Shape(count.size(), 0), count};
  for (std::size_t axis = split; axis < count.size(); ++axis) rows.count[axis] = 1;
  std::vector<ValueRun> runs;
  survey::for_each_index(rows, [&](const Shape& row) {
    ValueRun run{0, piece.window->data(), bytes};
    for (std::size_t axis = 0; axis < row.size(); ++axis) {
      run.offset += (to[axis] + row[axis]) * in_chunk[axis];
      run.data += (from[axis] + row[axis]) * in_memory[axis];
    }
    runs.push_back(run);
  });
  return runs;
}

// Puts the pieces where they lie in the chunk; `chunk` has its size.
void assemble(const Batch& batch, const PlacedChunk& placed, const ChunkPieces& pieces, std::vector<std::byte>& chunk) {
  std::uint64_t written = 0;
  for (const ByteRun& run : pieces.runs) written += run.bytes;
  if (written > pieces.bytes_in_windows()) std::fill(chunk.begin(), chunk.end(), std::byte{0});
  for (const Piece& piece : pieces.pieces) {
    const Shape memory_shape = piece.window->memory_shape();
    survey::copy_box({chunk.data(), batch.chunk, survey::minus(piece.part.start, placed.start)},
                     {piece.window->data(), memory_shape, piece.from()}, piece.part.count, batch.element_bytes);
  }
}

}  // namespace

std::shared_ptr<DirectFile> DirectFile::open(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return nullptr;
  const std::string real = resolved;
  std::free(resolved);
  const storage::FileSystem system = storage::file_system_of(real);
  if (!system.one_machine() && system.sharing() != storage::Sharing::plainly) return nullptr;
  const int descriptor = ::open(real.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  return std::shared_ptr<DirectFile>(new DirectFile(descriptor, real, system.one_machine()));
}

DirectFile::~DirectFile() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  ::close(descriptor_);
}

void DirectFile::submit(Batch batch) {
  std::unique_lock lock(mutex_);
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  changed_.wait(lock, [this] { return queue_.empty() && !busy_; });
  queue_.push_back(std::move(batch));
  changed_.notify_all();
}

bool DirectFile::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return queue_.empty() && !busy_; });
  for (const auto& [counters, requests] : counted_) {
    Requests& all = counters->writes[Access::snapshot].requests;
    all.writes += requests.writes;
    all.write_bytes += requests.write_bytes;
  }
  counted_.clear();
  if (failed_ == 0) return true;
  why_ = path_ + ": " + std::strerror(std::exchange(failed_, 0));
  return false;
}

std::optional<StepWindow> DirectFile::spare(const Step& part) {
  const std::lock_guard lock(mutex_);
  for (auto at = spares_.begin(); at != spares_.end(); ++at) {
    if (!at->same_part(part)) continue;
    StepWindow window = std::move(*at);
    spares_.erase(at);
    return window;
  }
  return std::nullopt;
}

void DirectFile::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Batch batch = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    Requests requests;
    {
      const Counting counting(&requests);
      write(batch);
    }
    lock.lock();
    busy_ = false;
    counted_.emplace_back(batch.counters, requests);
    for (StepWindow& window : batch.windows) {
      if (spares_.size() < kMostSpares) spares_.push_back(std::move(window));
    }
    changed_.notify_all();
  }
}

void DirectFile::write(const Batch& batch) {
  // Chunks that are put together, until they are written; the others are written from the windows.
  std::deque<std::vector<std::byte>> assembled;
  std::vector<iovec> parts;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  const std::uint64_t chunk_bytes = element_count(batch.chunk) * batch.element_bytes;
  const auto put_out = [&] {
    write_parts(begin, parts);
    parts.clear();
    for (; assembled.size() > 1; assembled.pop_front()) {  // the last may have more to write
      if (buffers_.size() < kMostSpares) buffers_.push_back(std::move(assembled.front()));
    }
    bytes = 0;
  };
  const auto add = [&](std::uint64_t address, const std::byte* data, std::uint64_t length) {
    if (address != begin + bytes || bytes + length > kLongestWrite || parts.size() == kMostParts) put_out();
    if (parts.empty()) begin = address;
    parts.push_back({const_cast<std::byte*>(data), length});
    bytes += length;
  };
  for (const PlacedChunk& placed : batch.chunks) {
    const ChunkPieces pieces = pieces_of(batch, placed);
    if (pieces.runs.empty()) continue;
    if (const auto runs = runs_of_window(batch, placed, pieces); !runs.empty()) {
      for (const ValueRun& run : runs) add(placed.address + run.offset, run.data, run.bytes);
      continue;
    }
    if (bytes + chunk_bytes > kLongestWrite) put_out();
    std::vector<std::byte> buffer;
    if (!buffers_.empty()) {
      buffer = std::move(buffers_.back());
      buffers_.pop_back();
    }
    buffer.resize(chunk_bytes);
    assemble(batch, placed, pieces, buffer);
    assembled.push_back(std::move(buffer));
    for (const ByteRun& run : pieces.runs)
      add(placed.address + run.offset, assembled.back().data() + run.offset, run.bytes);
  }
  put_out();
  for (; !assembled.empty(); assembled.pop_front()) {
    if (buffers_.size() < kMostSpares) buffers_.push_back(std::move(assembled.front()));
  }
}

void DirectFile::write_parts(std::uint64_t address, std::vector<iovec>& parts) {
  std::size_t first = 0;
  while (first < parts.size()) {
    const ssize_t count = ::pwritev(descriptor_, parts.data() + first, static_cast<int>(parts.size() - first),
                                    static_cast<off_t>(address));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int why = count < 0 ? errno : EIO;
      const std::lock_guard lock(mutex_);
      if (failed_ == 0) failed_ = why;
      return;
    }
    auto written = static_cast<std::size_t>(count);
    address += written;
    while (first < parts.size() && written >= parts[first].iov_len) written -= parts[first++].iov_len;
    if (written > 0) {
      parts[first].iov_base = static_cast<std::byte*>(parts[first].iov_base) + written;
      parts[first].iov_len -= written;
    }
  }
}

}  // namespace weft::with
