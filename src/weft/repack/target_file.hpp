// weft/repack/target_file.hpp - the new file of a repack: what it may replace, and how it is finished.
//
// Only rank 0 has one. What is not finished is removed when it goes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "weft/storage/metadata_watch.hpp"
#include "weft/storage/new_file.hpp"
#include "weft/storage/writer_lock.hpp"

namespace weft::repack {

// Removes the part of `out` and the lock, where nobody else has it by now: for whoever sees a process die that made it.
void remove_what_died(const std::string& out);

class TargetFile {
 public:
  // Nothing is made yet. Throws Error(usage) where `out` is there and may not be replaced, or is the same file as `in`
  // without `in_place`, or where a writer has one of them; Error(system) where nothing can be made in its folder.
  TargetFile(const std::string& in, const std::string& out, bool in_place, bool overwrite, bool take_over);

  // Where it is made. One that a killed repack left is replaced.
  const std::string& part() const { return file_->part(); }

  // Throws Error(system) where no file of this user may become so long (ulimit -f): HDF5 could not close one that
  // would.
  void check_length(std::uint64_t bytes) const;

  // Gives it its name, with the permissions of what it replaces, or of what was read; `durable`: as for any new file.
  // Throws Error(usage) where what was read is not what it was when this was made.
  void finish(bool durable);

 private:
  std::string in_;
  std::string out_;
  std::optional<storage::WriterLock> lock_;      // of what is replaced by its own repacked self
  std::optional<storage::MetadataWatch> watch_;  // of what another file is made from
  std::optional<storage::NewFile> file_;
};

// The bytes before HDF5's own, which are the user's.
void copy_user_block(const std::string& from, const std::string& to, unsigned long long bytes);

}  // namespace weft::repack
