// weft/storage/fresh_driver.hpp - how Weft has HDF5 open a file that it reads, as it is on the disk now, and one in
// memory (storage/scratch_file.hpp).
//
// HDF5 gives a file that the process has open already to whoever opens it again, with what was cached of it then, and
// only with the same close degree. Weft changes metadata by writes of its own, as other processes do; whoever opened
// the file before has the old ones. For this driver no two openings are the same file, and one that grows while it is
// opened is none that was cut short.
//
// A file that is opened to be written has no other name than the one it is opened by, so a file in memory can be.
//
// Reads, writes, messages, locks (HDF5_USE_FILE_LOCKING) and features are those of HDF5's own driver, sec2. Not
// collective.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <span>
#include <string>

#include "weft/storage/hdf5_handle.hpp"

namespace weft::storage {

// For H5Fopen and H5Fcreate. `from` are other settings, H5P_DEFAULT or an access list.
Handle fresh_access(hid_t from = H5P_DEFAULT);

// HDF5 crashes where it closes a file that refuses its last writes. So it is told that they are done, and what refused
// them is kept: this throws it, as Error(system) of `path`, the first one of the file that this thread opened last to
// be written. Whoever has closed such a file calls it, and uses nothing of the file where it throws.
void throw_refused_write(const std::string& path);

// Fills `to` from the file, and with zeros behind its end, as HDF5's own driver does. False, with errno, where it
// cannot.
bool read_or_zeros(int descriptor, haddr_t address, std::span<std::byte> to);

}  // namespace weft::storage
