// weft/storage/durable_name.hpp - names of files that are on the disk, and not in memory alone, when the call returns.
//
// A rename or an unlink changes a folder, and the folder has to be synced as a file has: without it a power cut can
// bring an old name back. Where a file system cannot sync a folder, nothing more can be done, and that is no error.
// None of the calls is collective.
#pragma once

#include <string>

namespace weft::storage {

// Gives the file `from` the name `to`, in place of a file that has it. What is in the file is synced by whoever wrote
// it, before. Throws Error(system).
void replace_name(const std::string& from, const std::string& to);

// Removes the file of this name; says whether there was one. Throws Error(system) where it cannot be removed.
bool remove_name(const std::string& path);

// Brings the names of the folder that `path` lies in to the disk: for who has made a file. Throws Error(system).
void sync_name(const std::string& path);

// What `path` leads to through links, of a link that leads nowhere too; `path` itself where it is none.
std::string behind_links(const std::string& path);

// Has the server asked anew which names there are in the folder that `path` lies in: a client of NFS believes for up to
// a minute that a file is not there that another client has made since. For who was told so, before he believes it.
void ask_for_names(const std::string& path);

}  // namespace weft::storage
