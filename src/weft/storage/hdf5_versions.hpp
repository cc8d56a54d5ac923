// weft/storage/hdf5_versions.hpp - what is called otherwise in other versions of HDF5, from 1.10.5 to 2, called alike.
//
// 1.12 turned addresses into tokens, and gave H5Oget_info, H5Ovisit, H5Literate and H5Lvisit other types; 2.0 gave
// H5Dread_chunk the length of its buffer. What differs is here and nowhere else. The names are those with a number,
// which mean the same whatever version of its interface an HDF5 was configured to default to. Not collective.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::storage {

// The address tells an object from all others of its file.
struct ObjectInfo {
  H5O_type_t type = H5O_TYPE_UNKNOWN;
  std::uint64_t address = HADDR_UNDEF;
};

// What an object takes beside its data.
struct ObjectMetadata {
  std::uint64_t header_bytes = 0;
  H5_ih_info_t object{};      // of chunks or links
  H5_ih_info_t attributes{};  // where they are too many for the header
};

#if H5_VERSION_GE(1, 12, 0)
using VisitedObject = H5O_info2_t;
using LinkInfo = H5L_info2_t;
#else
using VisitedObject = H5O_info_t;
using LinkInfo = H5L_info_t;
#endif

using VisitObject = herr_t (*)(hid_t from, const char* name, const VisitedObject* info, void* data);
using VisitLink = herr_t (*)(hid_t group, const char* name, const LinkInfo* info, void* data);

// All of these answer less than zero where HDF5 does (storage::check_hdf5).
herr_t object_info(hid_t object, ObjectInfo& info);
herr_t object_info(hid_t from, const char* path, ObjectInfo& info);
herr_t object_metadata(hid_t from, const char* path, ObjectMetadata& metadata);
herr_t attribute_count(hid_t object, std::uint64_t& count);

// Calls `visit` for an object and all below it by name, each once; its info holds the type.
herr_t visit_objects(hid_t from, VisitObject visit, void* data);

// Calls `visit` for the links of a group; for those of the groups below it too.
herr_t visit_links(hid_t group, H5_index_t by, H5_iter_order_t order, VisitLink visit, void* data);
herr_t visit_all_links(hid_t group, VisitLink visit, void* data);

// Reads a chunk as it is stored, whole: `bytes` are as many as H5Dget_chunk_storage_size said.
herr_t read_chunk(hid_t dataset, const hsize_t* offset, std::uint32_t& skipped_filters, std::span<std::byte> bytes);

}  // namespace weft::storage
