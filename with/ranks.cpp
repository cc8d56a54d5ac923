#include "with/ranks.hpp"

#include <dlfcn.h>

#include <mutex>
#include <string>

#include "with/mpi/ranks_of_file.hpp"
#include "with/settings.hpp"

namespace weft::with {

namespace {

std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0) return "";
  const std::string path = info.dli_fname;
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// Open MPI has this variable, and the others are of MPICH's kind.
bool is_open_mpi(const Library& library) { return library.find_by_name("ompi_mpi_comm_world") != nullptr; }

void* library_of(bool open_mpi) {
  const std::string name = open_mpi ? "openmpi" : "mpich";
  void* handle = dlopen((own_folder() + "/libweft-with-" + name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    say(std::string("this weft was built without ") + (open_mpi ? "Open MPI" : "MPICH") +
        ", which the program uses: what it writes through MPI-IO passes through as it is");
  }
  return handle;
}

#define WEFT_RANKS_CALL(library, name) (reinterpret_cast<decltype(&::name)>(dlsym(library, #name)))

}  // namespace

std::shared_ptr<Ranks> Ranks::of(Library& library, hid_t access_list) {
  static std::once_flag once;
  static void* helper = nullptr;
  std::call_once(once, [&] { helper = library_of(is_open_mpi(library)); });
  void* get = library.find_by_name("H5Pget_fapl_mpio");
  if (helper == nullptr || get == nullptr) return nullptr;
  void* ranks = WEFT_RANKS_CALL(helper, weft_with_ranks_of)(get, access_list);
  if (ranks == nullptr) return nullptr;
  return std::shared_ptr<Ranks>(new Ranks(ranks, helper));
}

Ranks::~Ranks() { WEFT_RANKS_CALL(library_, weft_with_free_ranks)(ranks_); }

void Ranks::greatest(std::vector<std::int64_t>& values) const {
  static auto* const call = WEFT_RANKS_CALL(library_, weft_with_greatest);
  call(ranks_, values.data(), static_cast<int>(values.size()));
}

}  // namespace weft::with
