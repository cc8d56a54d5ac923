#include "stores/timed_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "weft/storage/direct_writer.hpp"
#include "weft/support/error.hpp"
#include "weft/support/stopwatch.hpp"

namespace weft::stores {

TimedFile::TimedFile(std::string path)
    : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) fail("cannot be made");
}

TimedFile::~TimedFile() { ::close(descriptor_); }

void TimedFile::fail(const char* what) const { throw system_error(path_, what, errno); }

double TimedFile::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  const Stopwatch clock;
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("cannot be written");
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return clock.seconds();
}

double TimedFile::read(std::uint64_t offset, std::span<std::byte> bytes) {
  const Stopwatch clock;
  while (!bytes.empty()) {
    const ssize_t count = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot be read");
    if (count == 0) throw Error(ErrorKind::system, path_, "is shorter than what was written to it");
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return clock.seconds();
}

double TimedFile::sync() {
  const Stopwatch clock;
  if (::fsync(descriptor_) != 0) fail("cannot be flushed to the disk");
  return clock.seconds();
}

void TimedFile::reserve(std::uint64_t offset, std::uint64_t bytes) {
  const int done = ::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  if (done != 0 && (errno == ENOSPC || errno == EDQUOT)) fail("has no room");
}

void TimedFile::set_size(std::uint64_t bytes) {
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) fail("cannot be made as long as it should be");
}

void TimedFile::drop_cache() const {
  ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED);
  ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_RANDOM);
}

double Timings::quantile(double part) const {
  if (seconds.empty()) return 0;
  std::vector<double> sorted = seconds;
  const auto at = static_cast<std::ptrdiff_t>(part * static_cast<double>(sorted.size() - 1));
  std::nth_element(sorted.begin(), sorted.begin() + at, sorted.end());
  return sorted[static_cast<std::size_t>(at)];
}

Timings time_requests(TimedFile& file, Access access, std::uint64_t bytes, std::span<const std::uint64_t> offsets,
                      int threads, double most_seconds) {
  constexpr std::size_t kLeast = 3;
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::optional<Error> failure;
  Timings all;
  const Stopwatch clock;
  const auto work = [&] {
    std::vector<std::byte> buffer(bytes, std::byte{0x5a});
    std::vector<double> seconds;
    try {
      while (seconds.size() < kLeast || clock.seconds() < most_seconds) {
        const std::size_t mine = next.fetch_add(1);
        if (mine >= offsets.size()) break;
        seconds.push_back(access == Access::read ? file.read(offsets[mine], buffer)
                                                 : file.write(offsets[mine], buffer));
      }
    } catch (const Error& error) {
      const std::scoped_lock lock(mutex);
      failure = error;
    }
    const std::scoped_lock lock(mutex);
    all.seconds.insert(all.seconds.end(), seconds.begin(), seconds.end());
  };
  if (threads == 1) {
    work();
  } else {
    std::vector<std::jthread> some;
    some.reserve(static_cast<std::size_t>(threads));
    for (int thread = 0; thread < threads; ++thread) some.emplace_back(work);
  }
  all.elapsed = clock.seconds();
  if (failure) throw *failure;
  return all;
}

Timings time_direct_writes(const std::string& path, std::uint64_t bytes, std::span<const std::uint64_t> offsets,
                           double most_seconds) {
  constexpr std::size_t kLeast = 3;
  const std::unique_ptr<storage::DirectWriter> file =
      storage::DirectWriter::open(path, std::make_shared<storage::SyscallCounters>());
  if (!file) return {};
  const std::vector<std::byte> buffer(bytes, std::byte{0x5a});
  const std::array<storage::Bytes, 1> piece{buffer};
  Timings all;
  const Stopwatch clock;
  std::size_t done = 0;
  try {
    for (; done < offsets.size() && (done < kLeast || clock.seconds() < most_seconds); ++done) {
      file->write_at(offsets[done], piece);
      file->finish();  // as at the end of each window
    }
  } catch (const Error&) {
    return {};  // opened, and the writing refused
  }
  all.elapsed = clock.seconds();
  all.seconds.assign(done, all.elapsed / static_cast<double>(std::max<std::size_t>(done, 1)));
  return all;
}

}  // namespace weft::stores
