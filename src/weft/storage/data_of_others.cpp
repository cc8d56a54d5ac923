#include "weft/storage/data_of_others.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_versions.hpp"

namespace weft::storage {

namespace {

constexpr hsize_t kSmall = 64 << 10;      // copied with the metadata
constexpr hsize_t kMostChunks = 1 << 12;  // HDF5 1.10 walks the index from its beginning for each

class Walk {
 public:
  Walk(hid_t file, const SeriesCatalog& catalog) : file_(file), catalog_(catalog) {}

  std::vector<ByteRange> ranges() {
    const auto visit = [](hid_t, const char* name, const LinkInfo* link, void* walk) -> herr_t {
      if (link->type == H5L_TYPE_HARD) static_cast<Walk*>(walk)->object(name);
      return 0;
    };
    // Where it cannot be walked to its end, what was found is still true.
    visit_all_links(file_, visit, this);
    return std::move(ranges_);
  }

 private:
  // These Weft makes anew at times, in the room that the old ones had.
  bool is_wefts(std::string_view name) const {
    const std::string_view top = name.substr(0, name.find('/'));
    if (top == "weft" || top == "VTKHDF" || top == "maps" || top == "mesh") return true;
    return std::any_of(catalog_.fields.begin(), catalog_.fields.end(),
                       [&](const FieldEntry& f) { return f.name == top; });
  }

  void object(const char* name) {
    if (is_wefts(name)) return;
    const Handle any(H5Oopen(file_, name, H5P_DEFAULT));
    if (!any.valid() || H5Iget_type(any) != H5I_DATASET || H5Dget_storage_size(any) < kSmall) return;
    const Handle properties(H5Dget_create_plist(any));
    if (H5Pget_layout(properties) == H5D_CHUNKED) return chunks(any);
    if (H5Pget_layout(properties) != H5D_CONTIGUOUS || H5Pget_external_count(properties) > 0) return;
    add(H5Dget_offset(any), H5Dget_storage_size(any));
  }

  void chunks(hid_t dataset) {
    const Handle space(H5Dget_space(dataset));
    hsize_t count = 0;
    if (H5Dget_num_chunks(dataset, space, &count) < 0 || count > kMostChunks) return;
    std::vector<hsize_t> offset(H5S_MAX_RANK);
    for (hsize_t i = 0; i < count; ++i) {
      unsigned skipped = 0;
      haddr_t at = HADDR_UNDEF;
      hsize_t bytes = 0;
      if (H5Dget_chunk_info(dataset, space, i, offset.data(), &skipped, &at, &bytes) >= 0) add(at, bytes);
    }
  }

  void add(haddr_t at, hsize_t bytes) {
    if (at != HADDR_UNDEF && bytes > 0) ranges_.push_back({at, at + bytes});
  }

  hid_t file_;
  const SeriesCatalog& catalog_;
  std::vector<ByteRange> ranges_;
};

}  // namespace

std::vector<ByteRange> data_of_others(hid_t file, const SeriesCatalog& catalog) {
  const QuietHdf5 quiet;
  const Handle properties(H5Fget_create_plist(file));
  hsize_t user_block = 0;
  // Behind one, not all versions of HDF5 count addresses from the same byte.
  if (H5Pget_userblock(properties, &user_block) < 0 || user_block > 0) return {};
  return Walk(file, catalog).ranges();
}

}  // namespace weft::storage
