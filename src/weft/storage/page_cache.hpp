// weft/storage/page_cache.hpp - whether a file's bytes come from memory or from the disk.
#pragma once

#include <string>

namespace weft::storage {

// Asks the system to forget what it holds of a file in memory, so that the next read is a cold one. Returns whether it
// did, as far as a look at a few places can tell: pages that are not written yet, or a file system that lives in
// memory, stay. False where the file cannot be opened or the system cannot tell. Not collective.
bool forget_pages(const std::string& path);

}  // namespace weft::storage
