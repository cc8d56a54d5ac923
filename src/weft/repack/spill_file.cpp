#include "weft/repack/spill_file.hpp"

#include <cstdio>

#include "weft/storage/shared_file.hpp"

namespace weft::repack {

SpillFile::SpillFile(Communicator& comm, const std::string& path, std::uint64_t bytes, storage::OpenMode mode)
    : comm_(comm), path_(path) {
  agree_on(comm, [&] {
    if (comm.rank() != 0) return;
    const auto made = storage::open_store(path, storage::OpenMode::create);
    const std::byte last{0};
    made->write_at(bytes - 1, storage::Bytes(&last, 1));
    made->close();
  });
  storage::find_one_file(comm, path);
  agree_on(comm, [&] { store_ = storage::open_store(path, mode); });
}

SpillFile::~SpillFile() {
  store_.reset();
  if (comm_.rank() == 0) std::remove(path_.c_str());
}

}  // namespace weft::repack
