#include "weft/storage/set_aside.hpp"

#include <fmt/format.h>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"

namespace weft::storage {

namespace {

// Not below /weft: the links that lead to a field's segments lie there, and stay as they are.
constexpr const char* kPlace = "/.weft-old";

bool leads_somewhere(hid_t file, const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    if (H5Lexists(file, path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return H5Lexists(file, path.c_str(), H5P_DEFAULT) > 0;
}

}  // namespace

std::string SetAside::take(const std::string& path) {
  if (!leads_somewhere(file_, path)) return {};
  std::string aside = fmt::format("{}/{}", kPlace, taken_);
  const Handle links = with_groups_on_the_way();
  check_hdf5(H5Lmove(file_, path.c_str(), file_, aside.c_str(), links, H5P_DEFAULT), path, "cannot be updated");
  ++taken_;
  return aside;
}

void SetAside::let_go() {
  if (taken_ == 0) return;
  const Handle group(H5Gopen2(file_, kPlace, H5P_DEFAULT));
  check_hdf5(H5Oincr_refcount(group), kPlace, "cannot be let go");  // so that it outlives its only link
  check_hdf5(H5Ldelete(file_, kPlace, H5P_DEFAULT), kPlace, "cannot be let go");
  taken_ = 0;
}

}  // namespace weft::storage
