// kernels/io/stdio_file.hpp - a file through C's stdio, with the system calls below it counted.
//
// The stream is the C library's own, buffer and all: of st_blksize bytes, which is what fopen() takes. Only where it
// would call write() and lseek() it calls ours, which count. For one thread at a time; not collective.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "kernels/io/calls.hpp"
#include "kernels/io/phase_times.hpp"

namespace weft::kernels {

// On whose account: what the application calls, what reaches the system (as strace counts it), how long it takes.
struct FileAccount {
  Calls& app;
  Calls& system;
  PhaseTimes& times;
};

class StdioFile {
 public:
  enum class Buffer { stdio, none };  // none: every fwrite() is a write()

  // A new file, or an existing one emptied. Throws Error(system).
  StdioFile(const std::string& path, FileAccount account, Buffer buffer = Buffer::stdio);
  // Closes, where close() was not called; a failure is not told.
  ~StdioFile();
  StdioFile(const StdioFile&) = delete;
  StdioFile& operator=(const StdioFile&) = delete;

  // For fprintf() and the like; what is written so has to be told by count().
  std::FILE* stream() { return stream_; }
  void count(std::uint64_t bytes) { writes_.count(bytes); }
  // Throws Error(system) where a write to stream() failed since it was last asked.
  void check();

  // fwrite() and fseek(). Not timed: a clock costs as much as a small write; whoever writes many times the lot.
  void write(const void* data, std::uint64_t bytes);
  void seek(std::int64_t offset, int whence);
  // Timed. Throws Error(system) where what was written cannot be brought to the file.
  void close();

 private:
  static ssize_t write_cookie(void* self, const char* data, std::size_t bytes);
  static int seek_cookie(void* self, off64_t* offset, int whence);
  static int close_cookie(void* self);

  std::string path_;
  FileAccount account_;
  WriteCounter writes_;
  WriteCounter system_writes_;
  int descriptor_ = -1;
  int errno_ = 0;  // of the first write that failed
  std::vector<char> buffer_;
  std::FILE* stream_ = nullptr;
};

}  // namespace weft::kernels
