// storage/set_aside.hpp - objects of an open file that new ones take the place of: out of the way, and never deleted.
//
// HDF5 gives the bytes of what is deleted to what it makes next, and moves others' bytes together where they share a
// block (a global heap). But whoever reads the file while a change of its metadata is carried over
// (storage/metadata_change.hpp) may still be led to the old objects, and a rank of a dead run may still raise its old
// slot. So what is replaced keeps its bytes, and only loses its name: it is then an object that no link leads to. The
// file is no longer for it, as HDF5 forgets what is free when it closes a file.
#pragma once

#include <hdf5.h>

#include <string>

#pragma GCC visibility push(default)

namespace weft::storage {

class SetAside {
 public:
  // The file stays open for as long as this.
  explicit SetAside(hid_t file) : file_(file) {}

  // Gives the object another name until let_go(), and returns it; "" where `path` leads to nothing. Throws
  // Error(system).
  std::string take(const std::string& path);
  // Nothing leads to what was taken any more. Throws Error(system).
  void let_go();

 private:
  hid_t file_;
  int taken_ = 0;
};

}  // namespace weft::storage

#pragma GCC visibility pop
