// weft/repack/spill_file.hpp - target chunks one behind the other, not encoded, in a file that is removed when it goes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "weft/storage/byte_store.hpp"
#include "weft/support/communicator.hpp"

namespace weft::repack {

class SpillFile {
 public:
  // Collective: rank 0 makes it, all open it as `mode` says. Throws Error(system) on every rank where there is no room
  // for it.
  SpillFile(Communicator& comm, const std::string& path, std::uint64_t bytes, storage::OpenMode mode);
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  storage::ByteStore& store() { return *store_; }

 private:
  Communicator& comm_;
  std::string path_;
  std::unique_ptr<storage::ByteStore> store_;
};

}  // namespace weft::repack
