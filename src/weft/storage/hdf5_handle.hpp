// weft/storage/hdf5_handle.hpp - HDF5 identifiers that close themselves, and HDF5's complaints as one line.
#pragma once

#include <hdf5.h>

#include <string>
#include <string_view>
#include <utility>

#include "weft/support/data_type.hpp"
#include "weft/support/error.hpp"

#pragma GCC visibility push(default)

namespace weft::storage {

// Owns one identifier of any kind.
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }

  operator hid_t() const {
    return id_;
  }  // NOLINT(google-explicit-constructor): it is used as the identifier everywhere
  bool valid() const { return id_ >= 0; }
  // Closes now. Returns HDF5's answer, which matters for files: closing one writes what is still cached.
  herr_t reset();

 private:
  hid_t id_ = H5I_INVALID_HID;
};

// The innermost message of HDF5's error stack ("unable to open file: ... errno = 2 ..."), and an empty stack.
std::string take_hdf5_error();

// While it lives, HDF5 prints nothing: errors become weft::Error instead.
class QuietHdf5 {
 public:
  QuietHdf5();
  ~QuietHdf5();
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// An HDF5 file to read from, as it is now (storage/fresh_driver.hpp); invalid where it cannot be opened
// (take_hdf5_error() says why).
Handle open_read_only(const std::string& path);
// Of a file that HDF5 marks while it is written (superblock.hpp), with SWMR, too.
Error marked_as_written(const std::string& path);
// Why HDF5 did not open a file: Error(system) where another program has it open for writing, else Error(data): that it
// is marked, or HDF5's words and `hint`.
[[noreturn]] void throw_not_opened(const std::string& path, std::string_view hint);

// Throws Error(kind) "where: what: HDF5's words".
[[noreturn]] void throw_hdf5_error(ErrorKind kind, std::string_view where, std::string_view what);

// The same where an HDF5 call answered less than zero.
template <typename Result>
Result check_hdf5(Result result, std::string_view where, std::string_view what, ErrorKind kind = ErrorKind::system) {
  if (result < 0) throw_hdf5_error(kind, where, what);
  return result;
}

// The type of an element in memory and, as Weft writes native byte order, in the file. Not owned by the caller.
hid_t native_type(DataType type);

}  // namespace weft::storage

#pragma GCC visibility pop
