#include "weft/storage/file_end.hpp"

#include <algorithm>
#include <optional>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/chunk_room.hpp"
#include "weft/storage/superblock.hpp"
#include "weft/storage/undo_file.hpp"
#include "weft/storage/writer_state.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {

std::uint64_t end_of_file(const std::string& path) {
  const std::optional<Superblock> superblock = read_superblock(*open_store(path, OpenMode::read));
  if (superblock && superblock->intact) return superblock->end_of_file;
  throw Error(ErrorKind::data, path, "has a damaged superblock", "nothing it says can be trusted");
}

void move_end_ahead(const SeriesCatalog& catalog, std::uint64_t data_end, std::uint64_t ahead, bool durably) {
  note_data_end(catalog, data_end, ahead, durably);
  const auto store = open_store(catalog.path, OpenMode::metadata);
  if (store->size() < ahead) set_size(catalog.path, ahead);
  if (durably) store->sync();  // HDF5 opens no file that ends before its superblock says
  set_end_of_file(*store, ahead);
  store->close();
  // HDF5 asks for a file's length before it reads where it ends. So the next move finds the file long enough already.
  set_size(catalog.path, ahead + (ahead - data_end));
}

void cut_end(const SeriesCatalog& catalog, std::uint64_t end, bool durably) {
  const auto store = open_store(catalog.path, OpenMode::metadata);
  set_end_of_file(*store, end);
  if (durably) store->sync();  // before the file is shorter, and before the note is gone
  store->close();
  set_size(catalog.path, end);
  note_data_end(catalog, 0, 0, durably);
}

std::optional<std::uint64_t> forgotten_end(const SeriesCatalog& catalog) {
  const auto store = open_store(catalog.path, OpenMode::read);
  const WriterState state = read_writer_state(*store, catalog);
  if (state.data_end == 0 || !catalog.has_rooms()) return std::nullopt;
  // Whoever else has changed the file since has put what is his behind that end.
  if (end_of_file(catalog.path) != state.end_ahead) return std::nullopt;
  std::uint64_t end = state.data_end;
  const SegmentEntry& segment = catalog.segments[0];
  for (std::size_t f = 0; f < segment.fields.size(); ++f) {
    if (segment.rooms[f].blank_bytes == 0) continue;
    for (const auto& range : stored_ranges(*store, segment.fields[f], segment.rooms[f])) {
      end = std::max(end, range.second);
    }
  }
  return std::min(end, state.end_ahead);
}

}  // namespace weft::storage
