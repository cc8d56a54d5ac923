#include "with/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

namespace weft::with {

namespace {

constexpr std::array kNames = {
#define WEFT_AS_NAME(name) #name,
    WEFT_FRONT_CALLS(WEFT_AS_NAME) WEFT_OTHER_CALLS(WEFT_AS_NAME)
#undef WEFT_AS_NAME
};

// The object that holds the address, as dlopen() names it; empty for the program itself.
std::string object_at(const void* address) {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr) return "";
  return map->l_name != nullptr ? map->l_name : "";
}

struct KnownCaller {
  const void* address = nullptr;
  Library* library = nullptr;
};

}  // namespace

Library& Library::of_caller(const void* address) {
  // A place in the code calls one library, and few places call often.
  constexpr std::size_t kPlaces = 64;
  static thread_local std::array<KnownCaller, kPlaces> known;
  KnownCaller& caller = known[(reinterpret_cast<std::uintptr_t>(address) >> 2U) % kPlaces];
  if (caller.address == address) return *caller.library;

  static std::mutex mutex;
  // By the address of its H5open(). Never destroyed: what is left open is closed when the process ends.
  static auto& libraries = *new std::map<void*, std::unique_ptr<Library>>;
  const std::lock_guard lock(mutex);
  const std::string object = object_at(address);
  // NOLOAD: it is there already, since it calls. Never closed, so that the addresses stay good.
  void* handle = object.empty() ? nullptr : dlopen(object.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  void* begin = handle != nullptr ? dlsym(handle, "H5open") : nullptr;
  if (begin == nullptr) {  // the program itself, or an object that takes HDF5 from whoever loaded it
    handle = RTLD_NEXT;
    begin = dlsym(RTLD_NEXT, "H5open");
  }
  std::unique_ptr<Library>& library = libraries[begin];
  if (!library) library.reset(new Library(handle));
  caller = {address, library.get()};
  return *library;
}

void* Library::find_by_name(const char* name) const { return dlsym(handle_, name); }

void* Library::find(Call call) {
  const auto place = static_cast<std::size_t>(call);
  void* address = found_[place].load(std::memory_order_acquire);
  if (address == nullptr) {
    address = find_by_name(kNames[place]);
    found_[place].store(address, std::memory_order_release);
  }
  return address;
}

Library::TransferMode Library::transfer_mode() {
  if (!mode_asked_) {
    transfer_mode_ = reinterpret_cast<TransferMode>(find_by_name("H5Pget_dxpl_mpio"));
    mode_asked_ = true;
  }
  return transfer_mode_;
}

std::size_t Library::object_info(hid_t object, void* info) {
  constexpr unsigned kBasic = 1;
  constexpr std::size_t kToken = 16;
  // The types of what they fill differ from version to version.
  using Info = herr_t (*)(hid_t, void*, unsigned);
  using OldInfo = herr_t (*)(hid_t, void*);
  if (!info_asked_) {
    info3_ = find_by_name("H5Oget_info3");
    info2_ = find_by_name("H5Oget_info2");
    info1_ = find_by_name("H5Oget_info1");
    info_asked_ = true;
  }
  if (info3_ != nullptr) return reinterpret_cast<Info>(info3_.load())(object, info, kBasic) < 0 ? 0 : kToken;
  if (info2_ != nullptr) return reinterpret_cast<Info>(info2_.load())(object, info, kBasic) < 0 ? 0 : sizeof(haddr_t);
  if (info1_ != nullptr) return reinterpret_cast<OldInfo>(info1_.load())(object, info) < 0 ? 0 : sizeof(haddr_t);
  return 0;
}

hid_t Library::property_class(const char* variable, const char* name) {
  // A program that is no position-independent code has the variables of its libraries to itself: the library's own is
  // never filled then. Of two HDF5 in a process each has its own. So what is found has to be what it should be.
  for (void* address : {dlsym(handle_, variable), dlsym(RTLD_DEFAULT, variable)}) {
    if (address == nullptr) continue;
    const hid_t number = *static_cast<hid_t*>(address);
    if (number <= 0) continue;
    const Quiet quiet(*this);
    char* its_name = WEFT_CALL(*this, H5Pget_class_name)(number);
    const bool is_it = its_name != nullptr && std::strcmp(its_name, name) == 0;
    if (its_name != nullptr) WEFT_CALL(*this, H5free_memory)(its_name);
    if (is_it) return number;
  }
  return -1;
}

unsigned Library::version() {
  unsigned version = version_.load();
  if (version == 0) {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    if (has(Call::H5get_libversion) && WEFT_CALL(*this, H5get_libversion)(&major, &minor, &release) >= 0) {
      version = major * 1000000 + minor * 1000 + release;
      version_ = version;
    }
  }
  return version;
}

int& Inside::depth() {
  static thread_local int depth = 0;
  return depth;
}

Quiet::Quiet(Library& library) : library_(library) {
  WEFT_CALL(library_, H5Eget_auto2)(H5E_DEFAULT, &function_, &data_);
  WEFT_CALL(library_, H5Eset_auto2)(H5E_DEFAULT, nullptr, nullptr);
}

Quiet::~Quiet() { WEFT_CALL(library_, H5Eset_auto2)(H5E_DEFAULT, function_, data_); }

}  // namespace weft::with
