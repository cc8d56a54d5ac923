// weft/repack/target_file.hpp - the new file while it is made: beside its place, under another name.
//
// Only rank 0 has one. What is not finished is removed when it goes.
#pragma once

#include <cstdint>
#include <string>

namespace weft::repack {

// Where a new file for `out` is made, and what it spills to: of a process that was killed they are left, in nobody's
// way.
std::string part_path(const std::string& out);
std::string spill_path(const std::string& part);
// Removes both, where they are: for whoever sees such a process die.
void remove_parts(const std::string& out);

class TargetFile {
 public:
  // Nothing is made yet. Throws Error(usage) where `out` is there and may not be replaced, or is the same file as `in`
  // without `in_place`; Error(system) where nothing can be made in its folder.
  TargetFile(const std::string& in, const std::string& out, bool in_place, bool overwrite);
  ~TargetFile();
  TargetFile(const TargetFile&) = delete;
  TargetFile& operator=(const TargetFile&) = delete;

  // Where it is made: OUT.weft-part. One that a killed repack left is replaced.
  const std::string& part() const { return part_; }

  // Throws Error(system) where no file of this user may become so long (ulimit -f): HDF5 could not close one that
  // would.
  void check_length(std::uint64_t bytes) const;

  // Gives it its name, with the permissions of what it replaces; `sync`: only when all of it is on the disk.
  void finish(bool sync);

 private:
  std::string in_;
  std::string out_;
  std::string part_;
  bool finished_ = false;
};

// The bytes before HDF5's own, which are the user's.
void copy_user_block(const std::string& from, const std::string& to, unsigned long long bytes);

}  // namespace weft::repack
