// kernels/ecg/plain_file.hpp - a file as codes without Weft read it: HDF5's POSIX driver, hyperslabs, a chunk cache.
//
// This is how the paper's code reads what it wrote, after the run: every process opens the file for itself and leaves
// the rest to H5Dread. HDF5 reads a chunk whole and keeps it in the dataset's cache, the least recently used one making
// room; of a chunk larger than the whole cache it reads just the elements that are asked for, row by row. No part of
// Weft's reading takes part. Not collective; one thread at a time.
//
// Example: with a cache of 128 MiB, chunks of 151 x 434 x 2 doubles (1.0 MiB) are read once where a rank needs up to
// 128 of them again and again; those of 41 x 400,000 x 2 (250 MiB) bypass the cache: a trace is 151 reads of 8 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/support/data_type.hpp"
#include "weft/support/shape.hpp"

namespace weft::kernels::ecg {

class PlainFile {
 public:
  // `cache_bytes` for each dataset of chunks. Throws Error(system) where the file cannot be opened.
  PlainFile(std::string path, std::uint64_t cache_bytes);

  // Fills `values` with a box of a dataset, as `type`: one H5Dread. Throws Error(data) where HDF5 cannot.
  void read(const std::string& dataset, const Box& box, DataType type, std::span<std::byte> values);

  std::uint64_t reads() const { return reads_; }  // H5Dreads until now
  std::uint64_t bytes() const { return bytes_; }  // that they gave; how many were read is HDF5's business
  double seconds() const { return seconds_; }     // that they took

 private:
  struct Dataset {
    storage::Handle id;
    storage::Handle space;
  };
  Dataset& opened(const std::string& path);

  std::string path_;
  std::uint64_t cache_bytes_;
  storage::Handle file_;
  std::map<std::string, Dataset> datasets_;
  std::uint64_t reads_ = 0;
  std::uint64_t bytes_ = 0;
  double seconds_ = 0;
};

// Slots of the hash table of a cache for so many chunks: a prime near a hundred times their number, as HDF5's manual
// advises, so that no two chunks push each other out.
std::uint64_t cache_slots(std::uint64_t chunks);

}  // namespace weft::kernels::ecg
