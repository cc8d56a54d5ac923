// with/front_posix.cpp - the system calls by which HDF5, or MPI-IO for it, reads and writes: counted, and passed on.
#include <dlfcn.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "with/counters.hpp"

namespace weft::with {

namespace {

template <class Function>
Function* next(Function* /*of this type*/, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

ssize_t as_read(ssize_t bytes) {
  Requests* here = counted_here();
  if (here != nullptr && bytes > 0) {
    ++here->reads;
    here->read_bytes += static_cast<std::uint64_t>(bytes);
    if (static_cast<std::uint64_t>(bytes) == here->whole_read_bytes) ++here->chunk_loads;
  }
  return bytes;
}

ssize_t as_write(ssize_t bytes) {
  Requests* here = counted_here();
  if (here != nullptr && bytes > 0) {
    ++here->writes;
    here->write_bytes += static_cast<std::uint64_t>(bytes);
  }
  return bytes;
}

}  // namespace

}  // namespace weft::with

#define WEFT_COUNTED(result, name, parameters, arguments, as)                \
  extern "C" __attribute__((visibility("default"))) result name parameters { \
    static auto* const real = weft::with::next(&::name, #name);              \
    return weft::with::as(real arguments);                                   \
  }

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the C library's names are its own
WEFT_COUNTED(ssize_t, read, (int file, void* data, size_t bytes), (file, data, bytes), as_read)
WEFT_COUNTED(ssize_t, write, (int file, const void* data, size_t bytes), (file, data, bytes), as_write)
WEFT_COUNTED(ssize_t, pread, (int file, void* data, size_t bytes, off_t at), (file, data, bytes, at), as_read)
WEFT_COUNTED(ssize_t, pwrite, (int file, const void* data, size_t bytes, off_t at), (file, data, bytes, at), as_write)
WEFT_COUNTED(ssize_t, pread64, (int file, void* data, size_t bytes, off64_t at), (file, data, bytes, at), as_read)
WEFT_COUNTED(ssize_t, pwrite64, (int file, const void* data, size_t bytes, off64_t at), (file, data, bytes, at),
             as_write)
WEFT_COUNTED(ssize_t, readv, (int file, const iovec* parts, int count), (file, parts, count), as_read)
WEFT_COUNTED(ssize_t, writev, (int file, const iovec* parts, int count), (file, parts, count), as_write)
WEFT_COUNTED(ssize_t, preadv, (int file, const iovec* parts, int count, off_t at), (file, parts, count, at), as_read)
WEFT_COUNTED(ssize_t, pwritev, (int file, const iovec* parts, int count, off_t at), (file, parts, count, at), as_write)
WEFT_COUNTED(ssize_t, preadv64, (int file, const iovec* parts, int count, off64_t at), (file, parts, count, at),
             as_read)
WEFT_COUNTED(ssize_t, pwritev64, (int file, const iovec* parts, int count, off64_t at), (file, parts, count, at),
             as_write)
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
