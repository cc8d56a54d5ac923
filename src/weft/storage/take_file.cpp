#include "weft/storage/take_file.hpp"

#include "weft/storage/byte_store.hpp"
#include "weft/storage/metadata_change.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/storage/writer_state.hpp"

namespace weft::storage {

WriterLock take_file(const std::string& path, const LockWish& wish) {
  WriterLock lock = WriterLock::take(path, wish);
  undo_metadata_change(path);
  if (lock.taken_over()) begin_epoch(path);
  return lock;
}

void begin_epoch(const std::string& path) {
  const SeriesMap map = read_series_map(path);
  if (map.writer.shape.empty()) return;
  const auto store = open_posix(path, OpenMode::write_through);
  WriterState state = read_writer_state(*store, map);
  ++state.epoch;
  write_writer_state(*store, map, state);
  store->close();
}

}  // namespace weft::storage
