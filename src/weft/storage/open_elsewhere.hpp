// weft/storage/open_elsewhere.hpp - whether some program has a file open for writing.
#pragma once

#include <string>

namespace weft::storage {

// Asks the system for a read lease, which it gives only where nobody has the file open for writing, and gives it back
// at once. False also where the system cannot tell: for files of others, on file systems without leases, and for
// programs on other machines. Not collective.
bool is_open_for_writing(const std::string& path);

}  // namespace weft::storage
