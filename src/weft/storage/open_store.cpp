#include <utility>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/posix_store.hpp"

namespace weft::storage {

std::unique_ptr<ByteStore> open_store(const std::string& path, OpenMode mode, std::shared_ptr<SyscallCounters> counters,
                                      const std::string& name) {
  if (!counters) counters = std::make_shared<SyscallCounters>();
  return open_posix_store(path, mode, std::move(counters), name.empty() ? path : name);
}

}  // namespace weft::storage
