// Loaded into weft by tests/faults/test_killed*.py (LD_PRELOAD), never into anything a user runs.
//
// Counts the calls that change a file's bytes or name, of all threads of the process together, and ends the process by
// SIGKILL in place of the Nth. strace can do this too, but counts each thread apart, so that the first writes of the
// I/O thread are never hit. Watched calls of several threads are made one after the other: when the Nth begins, all
// before it have ended, and the log has them in their order.
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
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t one_at_a_time = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;  // io_submit takes it once a request
static long calls;

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

// Counts a call about to be made. 0: it is not watched. 1: it is; no other thread begins one until end_call(). -1: it
// is the one to fail, with errno set. Does not return where it is the one to die in.
static int begin_call(const char* call, const char* path, int fd, long offset, const struct iovec* pieces, int count) {
  if (!is_watched(path)) return 0;
  pthread_mutex_lock(&one_at_a_time);
  const long number = ++calls;
  const char* at = getenv("WEFT_KILL_AT");
  note(number, call, path, offset, pieces, count);
  if (!at || atol(at) != number) return 1;
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
    pthread_mutex_unlock(&one_at_a_time);
    errno = atoi(error);
    return -1;
  }
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

static int begin_call_on(const char* call, int fd, long offset, const struct iovec* pieces, int count) {
  char link[64];
  char path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return begin_call(call, path, fd, offset, pieces, count);
}

static void end_call(int watched) {
  if (watched) pthread_mutex_unlock(&one_at_a_time);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// The body of a function: `begun` says whether to make the call at all.
#define MAKE_CALL(begun, type, call) \
  {                                  \
    const int watched = begun;       \
    if (watched < 0) return -1;      \
    const type result = call;        \
    end_call(watched);               \
    return result;                   \
  }

#define WATCH_PWRITE(name)                                                                               \
  ssize_t name(int fd, const void* data, size_t bytes, off_t offset) {                                   \
    const struct iovec piece = {(void*)(uintptr_t)data, bytes};                                          \
    MAKE_CALL(begin_call_on(#name, fd, offset, &piece, 1), ssize_t, NEXT(name)(fd, data, bytes, offset)) \
  }
WATCH_PWRITE(pwrite)
WATCH_PWRITE(pwrite64)

#define WATCH_PWRITEV(name)                                                 \
  ssize_t name(int fd, const struct iovec* pieces, int count, off_t offset) \
      MAKE_CALL(begin_call_on(#name, fd, offset, pieces, count), ssize_t, NEXT(name)(fd, pieces, count, offset))
WATCH_PWRITEV(pwritev)
WATCH_PWRITEV(pwritev64)

ssize_t write(int fd, const void* data, size_t bytes) {
  const struct iovec piece = {(void*)(uintptr_t)data, bytes};
  MAKE_CALL(begin_call_on("write", fd, lseek(fd, 0, SEEK_CUR), &piece, 1), ssize_t, NEXT(write)(fd, data, bytes))
}

// Linux AIO has no function of its own in the C library.
long syscall(long number, ...) {
  long a[6];
  va_list arguments;
  va_start(arguments, number);
  for (int i = 0; i < 6; ++i) a[i] = va_arg(arguments, long);
  va_end(arguments);
  int watched = 0;  // how often this thread holds the lock: once a request
  if (number == SYS_io_submit) {
    for (long i = 0; i < a[1]; ++i) {
      const struct iocb* request = ((struct iocb**)a[2])[i];
      const struct iovec piece = {(void*)(uintptr_t)request->aio_buf, request->aio_nbytes};
      const int begun = begin_call_on("io_submit", (int)request->aio_fildes, (long)request->aio_offset, &piece, 1);
      if (begun < 0) {
        while (watched-- > 0) end_call(1);
        return -1;
      }
      watched += begun;
    }
  }
  const long result = NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  while (watched-- > 0) end_call(1);
  return result;
}

#define WATCH_FTRUNCATE(name) \
  int name(int fd, off_t size) MAKE_CALL(begin_call_on(#name, fd, size, NULL, 0), int, NEXT(name)(fd, size))
WATCH_FTRUNCATE(ftruncate)
WATCH_FTRUNCATE(ftruncate64)

#define WATCH_TRUNCATE(name)             \
  int name(const char* path, off_t size) \
      MAKE_CALL(begin_call(#name, path, -1, size, NULL, 0), int, NEXT(name)(path, size))
WATCH_TRUNCATE(truncate)
WATCH_TRUNCATE(truncate64)

int unlink(const char* path) MAKE_CALL(begin_call("unlink", path, -1, 0, NULL, 0), int, NEXT(unlink)(path))

    int rename(const char* from, const char* to)
        MAKE_CALL(begin_call("rename", from, -1, 0, NULL, 0), int, NEXT(rename)(from, to))
