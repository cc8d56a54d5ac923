// weft/storage/scratch_file.hpp - a file in memory, in which HDF5 makes metadata.
//
// HDF5 writes every object by itself: a new series is some 30 writes of 50 to 4,000 bytes. On a file system of a
// network each is an answer to wait for. So HDF5 makes them in memory, and what it has made goes to the file in the
// few requests that it takes (storage/metadata_ranges.hpp). Not collective.
#pragma once

#include <cstdint>
#include <string>

namespace weft::storage {

class ScratchFile {
 public:
  // Empty. In memory where `bytes` (of what it will hold, about) are at most 64 MiB and the system has such files; else
  // it is `place`, and what is there is removed. Throws Error(system) where neither can be.
  ScratchFile(std::string place, std::uint64_t bytes);
  // Removes it.
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // By which this process, and no other, opens it.
  const std::string& path() const { return path_; }
  static bool fits_in_memory(std::uint64_t bytes) { return bytes <= kMostInMemory; }

 private:
  static constexpr std::uint64_t kMostInMemory = 64ULL << 20;

  int memory_ = -1;  // the descriptor that keeps a file in memory; -1: it is on the disk
  std::string path_;
};

}  // namespace weft::storage
