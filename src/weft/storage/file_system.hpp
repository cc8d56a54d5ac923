// weft/storage/file_system.hpp - what kind of file system a file lies on, and what that kind promises to those who
// share it.
//
// Known from the mount, not tried out: a file system that loses a neighbour's bytes does so once in many runs. What is
// not known promises nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::storage {

// By its number in statfs(2), f_type: file systems that lie on a disk or in the memory of one machine.
bool is_of_one_machine(long number);

// Whether several machines may write into one file, each its own bytes.
enum class Sharing {
  plainly,         // a machine's writes reach its own bytes alone
  past_the_cache,  // only those that pass by the page cache (O_DIRECT): what is cached is written back in whole pages
  never,           // nothing is promised
};

// Whether writes that pass by the page cache are known to be quicker.
enum class DirectGain {
  none,            // or nobody has measured it
  large_series,    // those that the cache does not hold: a disk of this machine
  large_requests,  // all that are long: the client waits for each piece of a write through its cache, and for none here
};

struct FileSystem {
  long number = 0;      // statfs(2), f_type; 0 where it cannot tell
  std::string type;     // as /proc/self/mountinfo names it: "ext4", "lustre", "fuse.glusterfs"; "" where it cannot tell
  std::string options;  // of the mount and of the file system, with commas

  // On a disk or in the memory of one machine: no other machine writes there.
  bool one_machine() const { return is_of_one_machine(number); }
  // A lock that one machine takes keeps all others out, and is free again when its holder dies.
  bool locks_reach_all() const;
  // WEFT_SHARED_FILE_SYSTEMS in the environment names types, with commas, that whoever runs the machines knows to be
  // shared plainly.
  Sharing sharing() const;
  DirectGain direct_gain() const;
  // Where machines lock a page for themselves, or write it back whole, their data should begin at multiples of this
  // many bytes; 0 where it does not matter.
  std::uint64_t alignment() const;
};

// Of the folder that the file lies in, or will; links are followed. Not collective.
FileSystem file_system_of(const std::string& path);

// The mount that `path`, which is absolute and has no links, lies on, by the text of /proc/self/mountinfo.
FileSystem find_mount(std::string_view mountinfo, std::string_view path);

}  // namespace weft::storage
