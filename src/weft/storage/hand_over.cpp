#include "weft/storage/hand_over.hpp"

#include "weft/storage/byte_store.hpp"
#include "weft/storage/file_system.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {

void hand_over(const Communicator& comm, const std::string& path) {
  if (comm.size() == 1 || file_system_of(path).one_machine()) return;
  open_store(path, OpenMode::write)->sync();
}

}  // namespace weft::storage
