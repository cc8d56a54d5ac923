// Loaded into weft by test_hand_over.py (LD_PRELOAD), never into anything a user runs.
//
// Writes down, in the order they happen on all ranks, who opens a file and who has brought one to the disk:
// "RANK open PATH" before it is opened, "RANK fdatasync PATH" after it is there. Says that every file lies on the file
// system whose number WEFT_STATFS has.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

static void write_down(const char* call, const char* path) {
  const char* watched = getenv("WEFT_WATCH");
  const char* log = getenv("WEFT_LOG");
  if (watched == NULL || log == NULL || strncmp(path, watched, strlen(watched)) != 0) return;
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank == NULL) rank = getenv("PMI_RANK");
  char line[4352];
  const int length = snprintf(line, sizeof line, "%s %s %s\n", rank != NULL ? rank : "0", call, path);
  int (*really)(const char*, int, ...);
  *(void**)&really = dlsym(RTLD_NEXT, "open");
  const int file = really(log, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (file < 0 || write(file, line, (size_t)length) != length) abort();
  close(file);
}

static int logged_open(const char* name, const char* path, int flags, unsigned mode) {
  int (*really)(const char*, int, ...);
  *(void**)&really = dlsym(RTLD_NEXT, name);
  write_down("open", path);
  return really(path, flags, mode);
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const unsigned mode = va_arg(more, unsigned);
  va_end(more);
  return logged_open("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const unsigned mode = va_arg(more, unsigned);
  va_end(more);
  return logged_open("open64", path, flags, mode);
}

int fdatasync(int file) {
  int (*really)(int);
  *(void**)&really = dlsym(RTLD_NEXT, "fdatasync");
  const int result = really(file);
  char link[64];
  char path[4097] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  if (result == 0 && readlink(link, path, sizeof path - 1) > 0) write_down("fdatasync", path);
  return result;
}

int statfs(const char* path, struct statfs* status) {
  int (*really)(const char*, struct statfs*);
  *(void**)&really = dlsym(RTLD_NEXT, "statfs");
  const int result = really(path, status);
  const char* type = getenv("WEFT_STATFS");
  if (result == 0 && type != NULL) status->f_type = strtol(type, NULL, 0);
  return result;
}
