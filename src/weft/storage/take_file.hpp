// weft/storage/take_file.hpp - a file taken for changing it: nobody else's, and as the last whole change left it.
#pragma once

#include <string>

#include "weft/storage/writer_lock.hpp"

namespace weft::storage {

// Takes the lock, undoes a change of metadata that was cut short, and, where the last writer died, begins a new epoch:
// a rank of it that is still on its way writes nothing more. Throws as WriterLock::take does. Not collective.
WriterLock take_file(const std::string& path, const LockWish& wish);

}  // namespace weft::storage
