// weft/storage/undo_file.hpp - FILE.weft-undo: what a change of metadata overwrites, before and after, and whether the
// file beside it is the one that it is of.
//
// An undo file outlives the process that made it, and then a backup may be put back over the file, or another file of
// the same name. So it is never taken at its word: every byte it is about is compared first. What a real crash leaves
// there is, byte by byte, of before or of after (a torn page is a mix); any other byte, or a size that is not one of
// before, after or between, says that the file is another one, and nothing is touched. The inode is for the message
// alone, as a crashed file may have been copied together with its undo file. docs/format.md has the encoding. Not
// collective.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/storage/byte_store.hpp"

namespace weft::storage {

// Bytes that a change overwrites in place.
struct Overwritten {
  std::uint64_t at = 0;
  std::vector<std::byte> before;
  std::vector<std::byte> after;  // as long; empty in undo files of Weft 0.1
};

struct UndoRecord {
  bool knows_after = true;  // false: written by Weft 0.1, which kept the bytes of before and the size alone
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;      // of the file before
  std::uint64_t new_size = 0;  // and after; never less than before
  std::vector<Overwritten> ranges;
};

// What the file beside an undo file holds.
enum class UndoState {
  none,     // there is no undo file
  before,   // nothing of the change, and no byte more: there is nothing to undo
  after,    // all of the change
  part,     // some of it, or none but the new length: to be undone
  foreign,  // something else: it is another file, or of another time
};

std::string undo_path(const std::string& path);

// The record of a change to `path`, without its ranges.
UndoRecord record_of(const std::string& path);
// Writes FILE.weft-undo: whole and under this name on the disk when it returns. Throws Error(system).
void save_undo(const std::string& path, const UndoRecord& record);
// Nothing where there is no undo file. Throws Error(data) where it is damaged.
std::optional<UndoRecord> load_undo(const std::string& path);
// Removes what save_undo has left: the file, and one that was not finished.
void remove_undo(const std::string& path);
// Where it writes before the file gets its name.
std::string undo_part_path(const std::string& path);

// Compares, and touches nothing.
UndoState undo_state(const UndoRecord& record, ByteStore& live);
// The line for a file that is `foreign`, and what to do.
[[noreturn]] void refuse_foreign(const UndoRecord& record, const std::string& path);

// The overwriting itself, in an order that suits whoever reads meanwhile. The superblock first, which says how long the
// file is. Then from the end of the file to its beginning: the root group, which leads to all that is new, lies there;
// and what grows in place (a global heap, a list of links) does so at its end, where a reader gets last who reads
// upwards. So he finds what was, or what is new and whole. Throws Error(system).
void write_after(const UndoRecord& record, ByteStore& live);
// Taking it back: the bytes of before, and the size. `live` is a store whose writes go through to the disk
// (OpenMode::write_through), so that all is there when it returns. Throws Error(system).
void put_back(const UndoRecord& record, ByteStore& live);

// Cuts or lengthens the file. Throws Error(system).
void set_size(const std::string& path, std::uint64_t size);

}  // namespace weft::storage
