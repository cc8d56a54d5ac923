// storage/new_file.hpp - a file while it is made: beside its place, as FILE.weft-part, and under its name when it is
// whole.
//
// So whatever ends the program before, the file that stood there is as it was. Where FILE is a link, what it leads to
// is what is made; the link stays. Who makes it has its lock until then: of two that make one file, or where a writer
// has the one that stands there, the later is refused. Not collective: one rank has a NewFile, the others open part().
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "weft/storage/writer_lock.hpp"

#pragma GCC visibility push(default)

namespace weft::storage {

// What to do where there is such a file already.
enum class IfExists : std::uint8_t { replace, fail };

// Where a new file for `path` is made. Of a process that was killed it is left, in nobody's way.
std::string part_path(const std::string& path);
// Beside it: what whoever makes it has no memory for.
std::string spill_path(const std::string& path);
// Whether a process that was killed has left either, or one is at it now.
bool has_parts(const std::string& path);
// Removes both. For whoever has the file's lock.
void remove_parts(const std::string& path);

// Gives `path` the permissions of `like` and, where that is allowed, its owner. Nothing where there is no `like`.
void look_like(const std::string& path, const std::string& like);

class NewFile {
 public:
  // Nothing is made yet, but a part that a killed process left is removed. `wish`: to have the lock; nothing where the
  // caller has it, or that of the folder's files. Throws Error(usage) where `path` is there and must not be replaced,
  // is no ordinary file, or another has the lock; Error(system) where nothing can be made in its folder.
  NewFile(const std::string& path, IfExists if_exists, const std::optional<LockWish>& wish);
  // Removes the part if it has not got its name.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  const std::string& part() const { return part_; }

  // Gives the file its name, and the permissions of what it replaces; `durable`: only when all of it is on the disk,
  // and its name is too when this returns. Throws Error(usage) where another has made a file of that name meanwhile and
  // it must not be replaced.
  void finish(bool durable);

 private:
  std::string path_;   // as it was given, for error lines
  std::string place_;  // behind all links
  std::string part_;
  IfExists if_exists_;
  std::optional<WriterLock> lock_;
  bool finished_ = false;
};

}  // namespace weft::storage

#pragma GCC visibility pop
