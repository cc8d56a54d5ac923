// with/library.hpp - the HDF5 that a caller uses.
//
// A call reaches this library because it was loaded before all others. It goes on to the HDF5 that the object of the
// caller was linked with: the addresses of its functions are asked of that object, so that two HDF5 in one process stay
// apart. Identifiers of one mean nothing to the other, so whatever is remembered of them is remembered per library.
#pragma once

#include <array>
#include <atomic>
#include <string>

#include "with/call_list.hpp"

namespace weft::with {

class Library {
 public:
  // The library of the code at this address (of __builtin_return_address). It stays valid until the process ends.
  static Library& of_caller(const void* address);

  // The address of a function; null where this HDF5 has none of that name.
  void* find(Call call);
  bool has(Call call) { return find(call) != nullptr; }
  void* find_by_name(const char* name) const;
  // The function that says whether a transfer list is collective; null where this HDF5 knows no MPI. Asked for in every
  // read, and so remembered.
  using TransferMode = herr_t (*)(hid_t, int*);
  TransferMode transfer_mode();

  // Fills `info` with what HDF5 says of an object, in its own form: the number of its file first, then its token (HDF5
  // 1.12) or address. Returns how many bytes the latter has; 0 where it says nothing.
  std::size_t object_info(hid_t object, void* info);

  // A class of property lists, by the variable that has its number and by its own name; -1 where there is none.
  hid_t property_class(const char* variable, const char* name);

  // 1010008 for 1.10.8.
  unsigned version();

 private:
  explicit Library(void* handle) : handle_(handle) {}

  void* handle_;  // of dlopen(), or RTLD_NEXT where the program itself calls
  std::array<std::atomic<void*>, static_cast<std::size_t>(Call::count)> found_{};
  std::atomic<unsigned> version_{0};
  std::atomic<TransferMode> transfer_mode_{nullptr};
  std::atomic<bool> mode_asked_{false};
  std::atomic<void*> info3_{nullptr};
  std::atomic<void*> info2_{nullptr};
  std::atomic<void*> info1_{nullptr};
  std::atomic<bool> info_asked_{false};
};

// WEFT_CALL(library, H5Dwrite)(dataset, ...): calls it in that library, which has it.
#define WEFT_CALL(library, name) (reinterpret_cast<decltype(&::name)>((library).find(::weft::with::Call::name)))

// While one is there, what this thread calls goes straight on to HDF5: such calls are ours, or HDF5's own.
class Inside {
 public:
  Inside() { ++depth(); }
  ~Inside() { --depth(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  static bool now() { return depth() > 0; }

 private:
  static int& depth();
};

// HDF5 says nothing while one is there: what fails is asked to learn something.
class Quiet {
 public:
  explicit Quiet(Library& library);
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  Library& library_;
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace weft::with
