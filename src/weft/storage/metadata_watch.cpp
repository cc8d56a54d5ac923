#include "weft/storage/metadata_watch.hpp"

#include <sys/stat.h>

#include <chrono>
#include <thread>
#include <utility>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/metadata_change.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/storage/shared_file.hpp"
#include "weft/storage/writer_lock.hpp"
#include "weft/storage/writer_state.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {

namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 10s;  // with a writer that changes its file
constexpr auto kLookAgain = 5ms;

}  // namespace

MetadataWatch::MetadataWatch(std::string path)
    : path_(std::move(path)), written_(has_living_writer(path_)), stamp_(stamp()) {
  if (!written_) return;
  try {
    look_past_cache(path_);
    catalog_ = read_catalog(path_);
    changes_ = changes();
  } catch (const Error&) {  // it is being changed, or is no series
    catalog_.reset();
  }
}

bool MetadataWatch::unchanged() const {
  const Stamp now = stamp();
  if (!written_) return now == stamp_ && !has_living_writer(path_);
  if (now.inode != stamp_.inode || !changes_ || *changes_ % 2 != 0 || metadata_leftovers(path_).undo) return false;
  look_past_cache(path_);
  return changes() == changes_;
}

MetadataWatch::Stamp MetadataWatch::stamp() const {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) return {};
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return {status.st_ino, static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec};
}

std::optional<std::uint64_t> MetadataWatch::changes() const {
  // Where a change moves the number, it was told of that change at its old place.
  return read_writer_state(*open_store(path_, OpenMode::read), *catalog_).changes;
}

void look_until_whole(const std::string& path, const std::function<bool()>& look) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  bool was_alone = false;
  while (true) {
    const MetadataWatch watch(path);
    std::optional<Error> error;
    try {
      if (look() && watch.unchanged()) return;
    } catch (const Error& thrown) {
      if (watch.unchanged()) {
        if (thrown.kind() != ErrorKind::data || !metadata_leftovers(path).undo) throw;
        throw Error(ErrorKind::data, path, "a metadata change was interrupted", "weft recover undoes it");
      }
      error = thrown;
    }
    // Where nobody writes, it is no other at the second look; a program that is not Weft may be adding to it.
    const bool alone = !has_living_writer(path);
    if (alone && was_alone && !error) return;
    if ((alone && was_alone) || std::chrono::steady_clock::now() > until) {
      if (error) throw *error;
      throw Error(ErrorKind::data, path, "is being changed continually", "read it after that has ended");
    }
    was_alone = alone;
    std::this_thread::sleep_for(kLookAgain);
  }
}

}  // namespace weft::storage
