// weft/verify/file_check.hpp - whether a file is sound: any HDF5 file by what every HDF5 file must be, one of Weft's by
// docs/format.md too.
//
// Every check is a line of the list, and one that fails does not keep the others from being made where they still mean
// something. Data are read where that can tell anything: filtered chunks, which have to decode, and whatever has
// checksums. Not collective.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "weft/storage/writer_state.hpp"
#include "weft/verify/check_list.hpp"

namespace weft::verify {

struct FileCheckOptions {
  bool quick = false;  // read no data: neither chunks nor checksums, nor the mesh
  std::uint64_t budget_bytes = 256ULL << 20;
  // Bytes of values that were read so far, of all there are to be read.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
  storage::LockIs lock = storage::LockIs::of_others;  // of whoever checks, where he has just mended the file
};

struct FileReport {
  std::string path;
  bool is_weft = false;
  std::optional<std::uint64_t> steps;      // of Weft's datasets
  std::optional<std::uint64_t> committed;  // of them
  CheckList list;

  bool sound() const { return list.sound(); }
};

// Throws Error(system) where the file cannot be opened by the system, Error(data) where it is not HDF5 at all. Whatever
// else is wrong is told in the report.
FileReport check_file(const std::string& path, const FileCheckOptions& options);

}  // namespace weft::verify
