// weft/storage/superblock.hpp - the first bytes of an HDF5 file, read without HDF5: where the file ends, and whether it
// is marked as being written.
//
// HDF5 marks a file (superblock version 3, as Weft's are) while it has it open for writing, and opens no marked one
// again; a program that was killed leaves the mark. h5clear -s takes it away, and so does clear_write_mark().
//
// https://docs.hdfgroup.org/hdf5/v1_10/_f_m_t3.html ("Disk Format: Level 0A"). Not collective.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "weft/storage/byte_store.hpp"

namespace weft::storage {

struct Superblock {
  std::uint64_t at = 0;  // bytes of user block before it
  unsigned version = 0;
  std::uint64_t end_of_file = 0;  // what the file believes to be its length, user block included
  bool marked = false;            // open for writing, or so it says
  bool intact = true;             // its checksum is right (versions 2 and 3 have one)
  std::vector<std::byte> bytes;   // all of it

  // Where the root group's header lies. Of versions 2 and 3.
  std::uint64_t root_group() const;
};

// Nothing where there is no HDF5 file: no signature at 0, 512, 1024, ... Throws Error(data) where it ends within the
// superblock, or is of a version or sizes that are not known.
std::optional<Superblock> read_superblock(ByteStore& store);

// Takes the mark away: 48 bytes are written at once, and brought to the disk. Throws Error(data) where the superblock
// is not intact, as then nothing it says can be trusted.
void clear_write_mark(ByteStore& store, const Superblock& superblock);

// Lets the file end where `end` says, as HDF5 sees it: one small write, not brought to the disk. The file must be so
// long. Throws Error(data) where the superblock is not intact, or of version 0 or 1.
void set_end_of_file(ByteStore& store, std::uint64_t end);

// HDF5's checksum of metadata (Bob Jenkins' lookup3).
std::uint32_t metadata_checksum(std::span<const std::byte> bytes);

}  // namespace weft::storage
