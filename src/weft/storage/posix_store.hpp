// weft/storage/posix_store.hpp - files of the operating system as a store of bytes.
#pragma once

#include <memory>
#include <string>

#include "weft/storage/byte_store.hpp"

namespace weft::storage {

// As open_store(), which calls it.
std::unique_ptr<ByteStore> open_posix_store(const std::string& path, OpenMode mode,
                                            std::shared_ptr<SyscallCounters> counters, const std::string& name);

}  // namespace weft::storage
