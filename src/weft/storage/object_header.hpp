// weft/storage/object_header.hpp - the header of an HDF5 object, read without HDF5: its messages and where they lie.
//
// Headers of version 2, as Weft makes them: each piece has a checksum, so that a message can be trusted, and changed in
// place (patch_message).
//
// https://docs.hdfgroup.org/hdf5/v1_10/_f_m_t3.html ("Version 2 Data Object Header Prefix"). Not collective.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "weft/storage/byte_store.hpp"

namespace weft::storage {

// Types of messages, as the format numbers them.
enum class MessageType : std::uint8_t { dataspace = 0x01, link = 0x06, layout = 0x08, continuation = 0x10 };

struct HeaderMessage {
  std::uint8_t type = 0;
  std::vector<std::byte> bytes;
  std::uint64_t at = 0;           // of its bytes in the file
  std::uint64_t piece_begin = 0;  // what its piece's checksum is over: [piece_begin, piece_end), and there it stands
  std::uint64_t piece_end = 0;
};

// The messages of the header at `address`, in their order; those of its first piece alone where `whole` is false.
// Nothing where there is no header of version 2, or one whose checksum is wrong, or which ends behind the file.
std::optional<std::vector<HeaderMessage>> read_object_header(ByteStore& store, std::uint64_t address,
                                                             bool whole = true);

// Writes other bytes, as many, in place of a message's, and the checksum of its piece anew.
void patch_message(ByteStore& store, const HeaderMessage& message, Bytes bytes);

// Whether the file begins as Weft's files do: a whole superblock, no user block, and a whole root group that leads to
// /weft. Two small reads; where the answer is no, it may still be one that another tool has changed.
bool begins_as_series(ByteStore& store);

}  // namespace weft::storage
