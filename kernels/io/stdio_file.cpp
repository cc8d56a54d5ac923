#include "kernels/io/stdio_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "weft/support/error.hpp"

namespace weft::kernels {

namespace {

Error write_error(const std::string& path, int reason) {
  if (reason != ENOSPC && reason != EDQUOT) return system_error(path, "cannot be written", reason);
  return Error(ErrorKind::system, path, std::string("cannot be written: ") + std::strerror(reason),
               "free some space, or write elsewhere");
}

}  // namespace

StdioFile::StdioFile(const std::string& path, FileAccount account, Buffer buffer) : path_(path), account_(account) {
  timed(account_.times.open, account_.times.calls.open, [&] {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) throw system_error(path_, "cannot be created", errno);
    ++account_.app.opens;
    ++account_.system.opens;
    stream_ = ::fopencookie(this, "w", {nullptr, write_cookie, seek_cookie, close_cookie});
    if (stream_ == nullptr) throw system_error(path_, "cannot be written", errno);
    if (buffer == Buffer::none) {
      std::setvbuf(stream_, nullptr, _IONBF, 0);
      return;
    }
    struct stat facts {};
    ::fstat(descriptor_, &facts);
    buffer_.resize(facts.st_blksize > 0 ? static_cast<std::size_t>(facts.st_blksize) : BUFSIZ);
    std::setvbuf(stream_, buffer_.data(), _IOFBF, buffer_.size());
  });
}

StdioFile::~StdioFile() {
  if (stream_ != nullptr) std::fclose(stream_);
}

void StdioFile::check() {
  if (errno_ != 0) throw write_error(path_, std::exchange(errno_, 0));
}

void StdioFile::write(const void* data, std::uint64_t bytes) {
  writes_.count(bytes);
  if (std::fwrite(data, 1, bytes, stream_) != bytes) check();
}

void StdioFile::seek(std::int64_t offset, int whence) {
  ++account_.app.seeks;
  if (::fseeko(stream_, offset, whence) != 0) {
    check();
    throw system_error(path_, "cannot be positioned", errno);
  }
}

void StdioFile::close() {
  const int failed = timed(account_.times.close, account_.times.calls.close,
                           [&] { return std::fclose(std::exchange(stream_, nullptr)); });
  const int reason = errno;
  account_.app += writes_.take();
  ++account_.app.closes;
  check();
  if (failed != 0) throw system_error(path_, "cannot be closed", reason);
}

ssize_t StdioFile::write_cookie(void* self, const char* data, std::size_t bytes) {
  auto& file = *static_cast<StdioFile*>(self);
  std::size_t done = 0;
  while (done < bytes) {
    const Stopwatch clock;
    const ssize_t written = ::write(file.descriptor_, data + done, bytes - done);
    file.account_.times.calls.write.add(clock.seconds());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      if (file.errno_ == 0) file.errno_ = written == 0 ? ENOSPC : errno;
      return static_cast<ssize_t>(done);
    }
    file.system_writes_.count(static_cast<std::uint64_t>(written));
    done += static_cast<std::size_t>(written);
  }
  return static_cast<ssize_t>(done);
}

int StdioFile::seek_cookie(void* self, off64_t* offset, int whence) {
  auto& file = *static_cast<StdioFile*>(self);
  const off64_t reached = ::lseek64(file.descriptor_, *offset, whence);
  ++file.account_.system.seeks;
  if (reached < 0) return -1;
  *offset = reached;
  return 0;
}

int StdioFile::close_cookie(void* self) {
  auto& file = *static_cast<StdioFile*>(self);
  file.account_.system += file.system_writes_.take();
  ++file.account_.system.closes;
  return ::close(std::exchange(file.descriptor_, -1));
}

}  // namespace weft::kernels
