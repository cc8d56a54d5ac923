// Loaded into weft by tests/faults/test_killed*.py (LD_PRELOAD), never into anything a user runs.
//
// Counts the calls that change a file's bytes or name, of all threads of the process together, and ends the process by
// SIGKILL in place of the Nth. strace can do this too, but counts each thread apart, so that the first writes of the
// I/O thread are never hit.
//   WEFT_KILL_PATH  files whose path begins with this are watched (so FILE and FILE.weft-undo are)
//   WEFT_KILL_AT    N, from 1; 0 or absent: none
//   WEFT_KILL_TORN  1: the first half of the Nth call's bytes is still written
//   WEFT_KILL_ERRNO the call fails with this errno instead, and the process lives on
//   WEFT_KILL_RANK  only this rank counts; absent: all
//   WEFT_KILL_LOG   each watched call becomes a line: number, call, file, offset, bytes, first 8 bytes as a number
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;

static const char* watched_path(void) {
  const char* path = getenv("WEFT_KILL_PATH");
  return path ? path : "/nothing is watched";
}

static int is_my_rank(void) {
  const char* wanted = getenv("WEFT_KILL_RANK");
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (!rank) rank = getenv("PMI_RANK");
  return !wanted || strcmp(wanted, rank ? rank : "0") == 0;
}

static int is_watched(const char* path) {
  return path && strncmp(path, watched_path(), strlen(watched_path())) == 0 && is_my_rank();
}

static void note(long number, const char* call, const char* path, long offset, const struct iovec* pieces, int count) {
  const char* log_path = getenv("WEFT_KILL_LOG");
  if (!log_path) return;
  uint64_t first = 0;
  size_t bytes = 0;
  for (int i = 0; i < count; ++i) bytes += pieces[i].iov_len;
  if (count > 0 && pieces[0].iov_len >= sizeof first) memcpy(&first, pieces[0].iov_base, sizeof first);
  char line[4500];
  const int length = snprintf(line, sizeof line, "%ld %s %s %ld %zu %llu\n", number, call, path, offset, bytes,
                              (unsigned long long)first);
  const long log = syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_CREAT | O_APPEND, 0644);
  syscall(SYS_write, log, line, (size_t)length);
  syscall(SYS_close, log);
}

// Does not return where this is the call to die in; says whether it is the one to fail, with errno set.
static int before(const char* call, const char* path, int fd, long offset, const struct iovec* pieces, int count) {
  const long number = atomic_fetch_add(&calls, 1) + 1;
  const char* at = getenv("WEFT_KILL_AT");
  note(number, call, path, offset, pieces, count);
  if (!at || atol(at) != number) return 0;
  size_t bytes = 0;
  for (int i = 0; i < count; ++i) bytes += pieces[i].iov_len;
  // A slot is 8 bytes at a multiple of 8, which no kernel tears.
  if (getenv("WEFT_KILL_TORN") && bytes >= 16) {
    size_t half = bytes / 16 * 8;
    for (int i = 0; i < count && half > 0; ++i) {
      const size_t part = pieces[i].iov_len < half ? pieces[i].iov_len : half;
      syscall(SYS_pwrite64, fd, pieces[i].iov_base, part, offset);
      offset += (long)part;
      half -= part;
    }
  }
  const char* error = getenv("WEFT_KILL_ERRNO");
  if (error) {
    errno = atoi(error);
    return 1;
  }
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

static int before_fd(const char* call, int fd, long offset, const struct iovec* pieces, int count) {
  char link[64];
  char path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return is_watched(path) && before(call, path, fd, offset, pieces, count);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define WATCH_PWRITE(name)                                             \
  ssize_t name(int fd, const void* data, size_t bytes, off_t offset) { \
    const struct iovec piece = {(void*)(uintptr_t)data, bytes};        \
    if (before_fd(#name, fd, offset, &piece, 1)) return -1;            \
    return NEXT(name)(fd, data, bytes, offset);                        \
  }
WATCH_PWRITE(pwrite)
WATCH_PWRITE(pwrite64)

#define WATCH_PWRITEV(name)                                                   \
  ssize_t name(int fd, const struct iovec* pieces, int count, off_t offset) { \
    if (before_fd(#name, fd, offset, pieces, count)) return -1;               \
    return NEXT(name)(fd, pieces, count, offset);                             \
  }
WATCH_PWRITEV(pwritev)
WATCH_PWRITEV(pwritev64)

ssize_t write(int fd, const void* data, size_t bytes) {
  const struct iovec piece = {(void*)(uintptr_t)data, bytes};
  if (before_fd("write", fd, lseek(fd, 0, SEEK_CUR), &piece, 1)) return -1;
  return NEXT(write)(fd, data, bytes);
}

// Linux AIO has no function of its own in the C library.
long syscall(long number, ...) {
  long a[6];
  va_list arguments;
  va_start(arguments, number);
  for (int i = 0; i < 6; ++i) a[i] = va_arg(arguments, long);
  va_end(arguments);
  if (number == SYS_io_submit) {
    for (long i = 0; i < a[1]; ++i) {
      const struct iocb* request = ((struct iocb**)a[2])[i];
      const struct iovec piece = {(void*)(uintptr_t)request->aio_buf, request->aio_nbytes};
      if (before_fd("io_submit", (int)request->aio_fildes, (long)request->aio_offset, &piece, 1)) return -1;
    }
  }
  return NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#define WATCH_FTRUNCATE(name)                           \
  int name(int fd, off_t size) {                        \
    if (before_fd(#name, fd, size, NULL, 0)) return -1; \
    return NEXT(name)(fd, size);                        \
  }
WATCH_FTRUNCATE(ftruncate)
WATCH_FTRUNCATE(ftruncate64)

#define WATCH_TRUNCATE(name)                                                   \
  int name(const char* path, off_t size) {                                     \
    if (is_watched(path) && before(#name, path, -1, size, NULL, 0)) return -1; \
    return NEXT(name)(path, size);                                             \
  }
WATCH_TRUNCATE(truncate)
WATCH_TRUNCATE(truncate64)

int unlink(const char* path) {
  if (is_watched(path) && before("unlink", path, -1, 0, NULL, 0)) return -1;
  return NEXT(unlink)(path);
}

int rename(const char* from, const char* to) {
  if (is_watched(from) && before("rename", from, -1, 0, NULL, 0)) return -1;
  return NEXT(rename)(from, to);
}
