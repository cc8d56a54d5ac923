// weft/storage/hand_over.hpp - a file that one rank has made, given to the other ranks to open.
//
// What a process wrote may still lie in its node's memory when another node opens the file. File systems that keep
// nodes coherent fetch it then, and not all do so well: CephFS's FUSE client leaves a process asleep for ever that
// reads or writes the file while its earlier writes are fetched (https://tracker.ceph.com/issues/65971, mended in
// August 2024), and NFS promises other nodes no more than what was closed. Bytes that are at the servers cannot be
// fetched, so they are brought there first.
#pragma once

#include <string>

#include "weft/support/communicator.hpp"

namespace weft::storage {

// Called by the rank that made the file, when it has closed it and before the others open it. Does nothing for a group
// of one, nor where only this machine sees the file system: there a sync would wait for the disk and help nobody.
// Throws Error(system) where the bytes do not come to the servers. Not collective.
void hand_over(const Communicator& comm, const std::string& path);

}  // namespace weft::storage
