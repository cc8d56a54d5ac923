#include "weft/storage/hdf5_versions.hpp"

#if !H5_VERSION_GE(1, 10, 5)
#error "Weft needs HDF5 1.10.5 or later, which tells where chunks lie"
#endif

namespace weft::storage {

#if H5_VERSION_GE(1, 12, 0)

namespace {

herr_t translate(hid_t from, const H5O_info2_t& found, ObjectInfo& info) {
  haddr_t address = HADDR_UNDEF;
  if (H5VLnative_token_to_addr(from, found.token, &address) < 0) return -1;
  info = {found.type, address};
  return 0;
}

}  // namespace

herr_t object_info(hid_t object, ObjectInfo& info) {
  H5O_info2_t found{};
  if (H5Oget_info3(object, &found, H5O_INFO_BASIC) < 0) return -1;
  return translate(object, found, info);
}

herr_t object_info(hid_t from, const char* path, ObjectInfo& info) {
  H5O_info2_t found{};
  if (H5Oget_info_by_name3(from, path, &found, H5O_INFO_BASIC, H5P_DEFAULT) < 0) return -1;
  return translate(from, found, info);
}

herr_t object_metadata(hid_t from, const char* path, ObjectMetadata& metadata) {
  H5O_native_info_t found{};
  if (H5Oget_native_info_by_name(from, path, &found, H5O_NATIVE_INFO_HDR | H5O_NATIVE_INFO_META_SIZE, H5P_DEFAULT) <
      0) {
    return -1;
  }
  metadata = {found.hdr.space.total, found.meta_size.obj, found.meta_size.attr};
  return 0;
}

herr_t attribute_count(hid_t object, std::uint64_t& count) {
  H5O_info2_t found{};
  if (H5Oget_info3(object, &found, H5O_INFO_NUM_ATTRS) < 0) return -1;
  count = found.num_attrs;
  return 0;
}

herr_t visit_objects(hid_t from, VisitObject visit, void* data) {
  return H5Ovisit3(from, H5_INDEX_NAME, H5_ITER_INC, visit, data, H5O_INFO_BASIC);
}

herr_t visit_links(hid_t group, H5_index_t by, H5_iter_order_t order, VisitLink visit, void* data) {
  return H5Literate2(group, by, order, nullptr, visit, data);
}

herr_t visit_all_links(hid_t group, VisitLink visit, void* data) {
  return H5Lvisit2(group, H5_INDEX_NAME, H5_ITER_INC, visit, data);
}

#else

herr_t object_info(hid_t object, ObjectInfo& info) {
  H5O_info_t found{};
  if (H5Oget_info2(object, &found, H5O_INFO_BASIC) < 0) return -1;
  info = {found.type, found.addr};
  return 0;
}

herr_t object_info(hid_t from, const char* path, ObjectInfo& info) {
  H5O_info_t found{};
  if (H5Oget_info_by_name2(from, path, &found, H5O_INFO_BASIC, H5P_DEFAULT) < 0) return -1;
  info = {found.type, found.addr};
  return 0;
}

herr_t object_metadata(hid_t from, const char* path, ObjectMetadata& metadata) {
  H5O_info_t found{};
  if (H5Oget_info_by_name2(from, path, &found, H5O_INFO_HDR | H5O_INFO_META_SIZE, H5P_DEFAULT) < 0) return -1;
  metadata = {found.hdr.space.total, found.meta_size.obj, found.meta_size.attr};
  return 0;
}

herr_t attribute_count(hid_t object, std::uint64_t& count) {
  H5O_info_t found{};
  if (H5Oget_info2(object, &found, H5O_INFO_NUM_ATTRS) < 0) return -1;
  count = found.num_attrs;
  return 0;
}

herr_t visit_objects(hid_t from, VisitObject visit, void* data) {
  return H5Ovisit2(from, H5_INDEX_NAME, H5_ITER_INC, visit, data, H5O_INFO_BASIC);
}

herr_t visit_links(hid_t group, H5_index_t by, H5_iter_order_t order, VisitLink visit, void* data) {
  return H5Literate(group, by, order, nullptr, visit, data);
}

herr_t visit_all_links(hid_t group, VisitLink visit, void* data) {
  return H5Lvisit(group, H5_INDEX_NAME, H5_ITER_INC, visit, data);
}

#endif

herr_t read_chunk(hid_t dataset, const hsize_t* offset, std::uint32_t& skipped_filters, std::span<std::byte> bytes) {
#if H5_VERSION_GE(2, 0, 0)
  std::size_t length = bytes.size();
  const herr_t read = H5Dread_chunk2(dataset, H5P_DEFAULT, offset, &skipped_filters, bytes.data(), &length);
  return length > bytes.size() ? -1 : read;
#else
  return H5Dread_chunk(dataset, H5P_DEFAULT, offset, &skipped_filters, bytes.data());
#endif
}

}  // namespace weft::storage
