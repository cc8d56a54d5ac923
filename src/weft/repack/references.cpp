#include "weft/repack/references.hpp"

#include <algorithm>
#include <cstring>

#include "weft/storage/hdf5_versions.hpp"

namespace weft::repack {

namespace {

using storage::Handle;

class Translation {
 public:
  Translation(hid_t from, hid_t to, const PathsByAddress& paths) : from_(from), to_(to), paths_(paths) {}

  void elements(hid_t type, std::byte* at, std::uint64_t count) {
    const std::size_t size = H5Tget_size(type);
    for (std::uint64_t i = 0; i < count; ++i) element(type, at + i * size);
  }

  std::uint64_t lost = 0;

 private:
  void element(hid_t type, std::byte* at) {
    switch (H5Tget_class(type)) {
      case H5T_REFERENCE: return reference(type, at);
      case H5T_COMPOUND:
        for (int m = 0; m < H5Tget_nmembers(type); ++m) {
          const auto member = static_cast<unsigned>(m);
          const Handle inner(H5Tget_member_type(type, member));
          if (holds_references(inner)) element(inner, at + H5Tget_member_offset(type, member));
        }
        return;
      case H5T_ARRAY: {
        const Handle inner(H5Tget_super(type));
        elements(inner, at, H5Tget_size(type) / H5Tget_size(inner));
        return;
      }
      case H5T_VLEN: {
        const Handle inner(H5Tget_super(type));
        hvl_t list;
        std::memcpy(&list, at, sizeof(list));
        elements(inner, static_cast<std::byte*>(list.p), list.len);
        return;
      }
      default: return;
    }
  }

  void reference(hid_t type, std::byte* at) {
    const std::size_t size = H5Tget_size(type);
    if (std::all_of(at, at + size, [](std::byte b) { return b == std::byte{0}; })) return;
    const bool of_region = H5Tequal(type, H5T_STD_REF_DSETREG) > 0;
    const H5R_type_t kind = of_region ? H5R_DATASET_REGION : H5R_OBJECT;
    const Handle object(H5Rdereference2(from_, H5P_DEFAULT, kind, at));
    storage::ObjectInfo info;
    const auto found =
        object.valid() && storage::object_info(object, info) >= 0 ? paths_.find(info.address) : paths_.end();
    if (found == paths_.end()) {
      H5Eclear2(H5E_DEFAULT);
      std::memset(at, 0, size);
      ++lost;
      return;
    }
    Handle region;
    if (of_region) {
      region = Handle(storage::check_hdf5(H5Rget_region(from_, kind, at), found->second,
                                          "a reference to a region of it "
                                          "cannot be read",
                                          ErrorKind::data));
    }
    storage::check_hdf5(H5Rcreate(at, to_, found->second.c_str(), kind, of_region ? static_cast<hid_t>(region) : -1),
                        found->second, "a reference to it cannot be made");
  }

  hid_t from_;
  hid_t to_;
  const PathsByAddress& paths_;
};

}  // namespace

bool holds_references(hid_t type) { return H5Tdetect_class(type, H5T_REFERENCE) > 0; }

std::uint64_t translate_references(hid_t from, hid_t to, const PathsByAddress& paths, hid_t type, std::byte* elements,
                                   std::uint64_t count) {
  Translation translation(from, to, paths);
  translation.elements(type, elements, count);
  return translation.lost;
}

}  // namespace weft::repack
