#include "weft/storage/take_file.hpp"

#include "weft/storage/byte_store.hpp"
#include "weft/storage/file_end.hpp"
#include "weft/storage/metadata_change.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/storage/writer_state.hpp"

namespace weft::storage {

WriterLock take_file(const std::string& path, const LockWish& wish) {
  WriterLock lock = WriterLock::take(path, wish);
  undo_metadata_change(path);
  if (const auto catalog = find_catalog(path)) {
    end_interrupted_change(*catalog);
    if (const auto end = forgotten_end(*catalog)) cut_end(*catalog, *end);
    if (lock.taken_over()) begin_epoch(*catalog);
  }
  return lock;
}

}  // namespace weft::storage
