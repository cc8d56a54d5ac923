#include "weft/storage/fresh_driver.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>

#include "weft/support/error.hpp"

#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>
#endif

namespace weft::storage {

namespace {

// HDF5 finds its own part at the beginning.
struct OpenFile {
  H5FD_t of_hdf5{};
  int descriptor = -1;
  bool writable = false;
  bool locks = true;  // locks that the file system does not have are no error
  haddr_t end_of_addresses = 0;
};

thread_local int refused_write = 0;  // errno of the first

void refuse(int reason) {
  if (refused_write == 0) refused_write = reason;
}

OpenFile& mine(H5FD_t* file) { return *reinterpret_cast<OpenFile*>(file); }
const OpenFile& mine(const H5FD_t* file) { return *reinterpret_cast<const OpenFile*>(file); }

// Puts the words on HDF5's stack of errors (take_hdf5_error()).
void say(int line, const char* words, int errno_value) {
  H5Epush2(H5E_DEFAULT, __FILE__, "weft", static_cast<unsigned>(line), H5E_ERR_CLS, H5E_VFL, H5E_NONE_MINOR, "%s",
           fmt::format("{}, errno = {}, error message = '{}'", words, errno_value, std::strerror(errno_value)).c_str());
}

bool wants_locks() {
  const char* const said = std::getenv("HDF5_USE_FILE_LOCKING");
  return said == nullptr || (std::string_view(said) != "FALSE" && std::string_view(said) != "0");
}

H5FD_t* open_file(const char* path, unsigned flags, hid_t, haddr_t) {
  const bool writable = (flags & H5F_ACC_RDWR) != 0;
  int how = O_CLOEXEC | (writable ? O_RDWR : O_RDONLY);
  if ((flags & H5F_ACC_CREAT) != 0) how |= O_CREAT;
  if ((flags & H5F_ACC_TRUNC) != 0) how |= O_TRUNC;
  if ((flags & H5F_ACC_EXCL) != 0) how |= O_EXCL;
  const int descriptor = ::open(path, how, 0666);
  if (descriptor < 0) {
    say(__LINE__, fmt::format("unable to open file: name = '{}'", path).c_str(), errno);
    return nullptr;
  }
  auto* file = new (std::nothrow) OpenFile;
  if (file == nullptr) {
    ::close(descriptor);
    say(__LINE__, "unable to open file", ENOMEM);
    return nullptr;
  }
  file->descriptor = descriptor;
  file->writable = writable;
  if (writable) refused_write = 0;
  file->locks = wants_locks();
  return &file->of_hdf5;
}

herr_t close_file(H5FD_t* file) {
  ::close(mine(file).descriptor);
  delete &mine(file);
  return 0;
}

// Asked without a file, too: whether HDF5 opens plain files by this driver. Of one whose handle is said to be POSIX's,
// HDF5 wants the name behind all links, and a file in memory has none. SWMR is what H5Fincrement_filesize() asks for.
herr_t features(const H5FD_t* file, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  const bool writable = file != nullptr && mine(file).writable;
  *flags |= writable ? H5FD_FEAT_SUPPORTS_SWMR_IO : H5FD_FEAT_POSIX_COMPAT_HANDLE;
  return 0;
}

haddr_t end_of_addresses(const H5FD_t* file, H5FD_mem_t) { return mine(file).end_of_addresses; }
herr_t set_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  mine(file).end_of_addresses = end;
  return 0;
}
// Asked anew each time: HDF5 asks after it has read where the data end, and a writer may have made the file longer
// since it was opened. HDF5's own driver then takes it for a truncated one.
haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) {
  struct stat status {};
  if (::fstat(mine(file).descriptor, &status) == 0) return static_cast<haddr_t>(status.st_size);
  say(__LINE__, "unable to ask for the length of the file", errno);
  return HADDR_UNDEF;
}

herr_t handle(H5FD_t* file, hid_t, void** descriptor) {
  *descriptor = &mine(file).descriptor;
  return 0;
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t bytes, void* buffer) {
  if (read_or_zeros(mine(file).descriptor, address, {static_cast<std::byte*>(buffer), bytes})) return 0;
  say(__LINE__, "file read failed", errno);
  return -1;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t bytes, const void* buffer) {
  std::span from(static_cast<const std::byte*>(buffer), bytes);
  while (!from.empty()) {
    const ssize_t written = ::pwrite(mine(file).descriptor, from.data(), from.size(), static_cast<off_t>(address));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      refuse(written < 0 ? errno : ENOSPC);
      return 0;
    }
    from = from.subspan(static_cast<std::size_t>(written));
    address += static_cast<haddr_t>(written);
  }
  return 0;
}

// To where the addresses end, as HDF5 wants it when it closes a file.
herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  const bool done =
      !mine(file).writable || ::ftruncate(mine(file).descriptor, static_cast<off_t>(mine(file).end_of_addresses)) == 0;
  if (!done) refuse(errno);
  return 0;
}

herr_t set_lock(OpenFile& file, int how) {
  if (!file.locks || ::flock(file.descriptor, how | LOCK_NB) == 0 || errno == ENOSYS) return 0;
  say(__LINE__, "unable to lock file", errno);
  return -1;
}
herr_t lock(H5FD_t* file, hbool_t to_write) { return set_lock(mine(file), to_write ? LOCK_EX : LOCK_SH); }
herr_t unlock(H5FD_t* file) { return set_lock(mine(file), LOCK_UN); }

H5FD_class_t driver() {
  H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(511);  // the last of those that HDF5 leaves to tests
#endif
  driver.name = "weft_fresh";
  driver.maxaddr = std::numeric_limits<std::int64_t>::max();
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.open = open_file;
  driver.close = close_file;
  driver.query = features;
  driver.get_eoa = end_of_addresses;
  driver.set_eoa = set_end_of_addresses;
  driver.get_eof = end_of_file;
  driver.get_handle = handle;
  driver.read = read;
  driver.write = write;
  driver.truncate = truncate;
  driver.lock = lock;
  driver.unlock = unlock;
  return driver;
}

}  // namespace

void throw_refused_write(const std::string& path) {
  if (refused_write != 0) throw system_error(path, "cannot be written", std::exchange(refused_write, 0));
}

bool read_or_zeros(int descriptor, haddr_t address, std::span<std::byte> to) {
  while (!to.empty()) {
    const ssize_t read = ::pread(descriptor, to.data(), to.size(), static_cast<off_t>(address));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return false;
    if (read == 0) {
      std::memset(to.data(), 0, to.size());
      return true;
    }
    to = to.subspan(static_cast<std::size_t>(read));
    address += static_cast<haddr_t>(read);
  }
  return true;
}

Handle fresh_access(hid_t from) {
  static const H5FD_class_t kDriver = driver();
  static hid_t registered = H5I_INVALID_HID;
  static std::mutex mutex;  // an HDF5 that is built for threads may be asked by several
  const std::lock_guard lock(mutex);
  if (H5Iis_valid(registered) <= 0) registered = H5FDregister(&kDriver);  // again after the program's H5close()
  Handle access(from == H5P_DEFAULT ? H5Pcreate(H5P_FILE_ACCESS) : H5Pcopy(from));
  check_hdf5(H5Pset_driver(access, registered, nullptr), "HDF5", "does not take a driver");
  return access;
}

}  // namespace weft::storage
