// weft/storage/shared_file.hpp - a file that ranks on several clients write at once: how it has to be opened for that.
//
// A client is a machine's one mount of a file system: what its ranks write lies in one page cache. Clients of NFS bring
// whole pages back to the server although only some bytes of them were written, and what another client has written
// beside is lost. Measured with two clients of Linux 6.1 that wrote words of 8 bytes in turn into pages that both had
// read, NFS 4.2 and 3: through the cache all 3,072 words of one were lost, with O_DIRECT none. So they write past their
// caches there; and where a file system promises nothing, several clients are refused.
//
// They read old pages, too: a client on which anybody has the file open for writing keeps them for as long (still old
// after 70 s), whatever others write. look_past_cache() makes it ask the server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/support/communicator.hpp"

namespace weft::storage {

// What tells clients apart: the running kernel and its mount of the file system. Of the file, or where there is none of
// the folder that it is to lie in. Throws Error(system).
std::vector<std::uint64_t> client_of(const std::string& path);

// How all ranks open the file to write into it: `write`, or `direct` where ranks run on several clients that have to
// write past their caches. Throws Error(usage) where several clients cannot write one file. Collective.
OpenMode shared_mode(Communicator& comm, const std::string& path);

// From the root on: a file that is opened again by its name, which by then may be asked for in another folder.
std::string whole_path(const std::string& path);

// The number that the file of this name has in its file system. Throws Error(system). Not collective.
std::uint64_t inode_of(const std::string& path);

// Has every rank find rank 0's file under this name. A client of NFS believes for up to a minute in the file that had
// the name before, and opens that one without asking: what its ranks write is then in no file at all, and what they
// read is old. Rank 0 asks the server; whoever finds another inode asks as well. Throws Error(system) where that does
// not help. Collective.
void find_one_file(Communicator& comm, const std::string& path);

// The next reads of the file, by this process and others of this machine, come from the server. Does nothing where
// caches are coherent, and where the system cannot. Not collective.
void look_past_cache(const std::string& path);

}  // namespace weft::storage
