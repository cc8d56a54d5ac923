// with/call_list.hpp - the functions of HDF5 that this library stands in front of, or calls itself.
//
// The library is not linked with any HDF5: one process may hold several (h5py and netCDF4 from PyPI each bring one),
// and each call goes on to that of its caller (with/library.hpp). Headers of HDF5 1.10 give the types; functions that
// came later are declared here.
#pragma once

#include <cstdint>

// What stands in front of HDF5 is seen from outside.
#pragma GCC visibility push(default)
#include <hdf5.h>

// Later headers put a caller's place before the arguments of these, and let one name mean two functions.
#undef H5Dread_async
#undef H5Dwrite_async
#undef H5Dread_multi_async
#undef H5Dwrite_multi_async
#undef H5Dset_extent_async
#undef H5Dclose_async
#undef H5Fclose_async
#undef H5Fflush_async
#undef H5Ocopy_async
#undef H5Oclose_async
#undef H5Dread_chunk

#if H5_VERSION_GE(1, 12, 3)
using WeftChunkAction = H5D_chunk_iter_op_t;
#else
using WeftChunkAction = void*;
#endif

extern "C" {
hid_t H5FD_mpio_init();
// HDF5 1.14
herr_t H5Dread_multi(size_t, hid_t[], hid_t[], hid_t[], hid_t[], hid_t, void*[]);
herr_t H5Dwrite_multi(size_t, hid_t[], hid_t[], hid_t[], hid_t[], hid_t, const void*[]);
herr_t H5Dread_async(const char*, const char*, unsigned, hid_t, hid_t, hid_t, hid_t, hid_t, void*, hid_t);
herr_t H5Dwrite_async(const char*, const char*, unsigned, hid_t, hid_t, hid_t, hid_t, hid_t, const void*, hid_t);
herr_t H5Dread_multi_async(const char*, const char*, unsigned, size_t, hid_t[], hid_t[], hid_t[], hid_t[], hid_t,
                           void*[], hid_t);
herr_t H5Dwrite_multi_async(const char*, const char*, unsigned, size_t, hid_t[], hid_t[], hid_t[], hid_t[], hid_t,
                            const void*[], hid_t);
herr_t H5Dset_extent_async(const char*, const char*, unsigned, hid_t, const hsize_t[], hid_t);
herr_t H5Dclose_async(const char*, const char*, unsigned, hid_t, hid_t);
herr_t H5Fclose_async(const char*, const char*, unsigned, hid_t, hid_t);
herr_t H5Fflush_async(const char*, const char*, unsigned, hid_t, H5F_scope_t, hid_t);
herr_t H5Ocopy_async(const char*, const char*, unsigned, hid_t, const char*, hid_t, const char*, hid_t, hid_t, hid_t);
herr_t H5Oclose_async(const char*, const char*, unsigned, hid_t, hid_t);
herr_t H5Dchunk_iter(hid_t, hid_t, WeftChunkAction, void*);
// HDF5 2.0: H5Dread_chunk is a macro there
herr_t H5Dread_chunk(hid_t, hid_t, const hsize_t*, std::uint32_t*, void*);
herr_t H5Dread_chunk1(hid_t, hid_t, const hsize_t*, std::uint32_t*, void*);
herr_t H5Dread_chunk2(hid_t, hid_t, const hsize_t*, std::uint32_t*, void*, size_t*);
}
#pragma GCC visibility pop

namespace weft::with {

// Lists of names, which clang-format pushes to the right.
// clang-format off
// Those that are stood in front of.
#define WEFT_FRONT_CALLS(X) \
  X(H5Dcreate1) X(H5Dcreate2) X(H5Dcreate_anon) X(H5Dopen1) X(H5Dopen2) X(H5Dclose) \
  X(H5Dclose_async) X(H5Dread) X(H5Dwrite) X(H5Dread_async) X(H5Dwrite_async) X(H5Dread_multi) \
  X(H5Dwrite_multi) X(H5Dread_multi_async) X(H5Dwrite_multi_async) X(H5Dset_extent) X(H5Dset_extent_async) \
  X(H5Dextend) X(H5Dread_chunk) X(H5Dread_chunk1) X(H5Dread_chunk2) X(H5Dwrite_chunk) X(H5Dget_storage_size) \
  X(H5Dget_offset) X(H5Dget_chunk_storage_size) X(H5Dget_num_chunks) X(H5Dget_chunk_info) \
  X(H5Dget_chunk_info_by_coord) X(H5Dchunk_iter) X(H5Dget_space_status) X(H5Dvlen_get_buf_size) X(H5Dflush) \
  X(H5Drefresh) X(H5Dformat_convert) X(H5Fcreate) X(H5Fopen) X(H5Fclose) X(H5Fclose_async) X(H5Fflush) \
  X(H5Fflush_async) X(H5Fget_obj_count) X(H5Fget_obj_ids) X(H5Fget_file_image) X(H5Fget_filesize) \
  X(H5Fget_freespace) X(H5Fstart_swmr_write) X(H5Fset_mpi_atomicity) X(H5Fget_vfd_handle) X(H5Ocopy) \
  X(H5Ocopy_async) X(H5Oopen) X(H5Oclose) X(H5Oclose_async) X(H5Oflush) X(H5Orefresh) X(H5Idec_ref) \
  X(H5Iget_ref) X(H5Iis_valid) X(H5close)

// Those that are only called.
#define WEFT_OTHER_CALLS(X) \
  X(H5Dget_space) X(H5Dget_type) X(H5Dget_create_plist) X(H5Dget_access_plist) X(H5Dgather) \
  X(H5Sget_simple_extent_dims) X(H5Sget_simple_extent_type) X(H5Sget_select_type) X(H5Sis_regular_hyperslab) \
  X(H5Sget_regular_hyperslab) X(H5Sget_select_npoints) X(H5Sget_select_bounds) X(H5Sselect_hyperslab) \
  X(H5Sselect_none) X(H5Screate_simple) X(H5Sclose) X(H5Tequal) X(H5Tcopy) X(H5Tclose) X(H5Tget_size) \
  X(H5Tdetect_class) X(H5Pcopy) X(H5Pclose) X(H5Pequal) X(H5Pcreate) X(H5Pget_layout) X(H5Pget_chunk) \
  X(H5Pset_chunk) X(H5Pget_nfilters) X(H5Pget_filter2) X(H5Pget_driver) X(H5Pget_chunk_cache) \
  X(H5Pset_chunk_cache) X(H5Pget_external_count) X(H5Iget_name) X(H5Iget_file_id) X(H5Iinc_ref) X(H5Iget_type) \
  X(H5Fget_name) X(H5Fget_access_plist) X(H5Fget_intent) X(H5Eget_auto2) X(H5Eset_auto2) X(H5get_libversion) \
  X(H5FD_mpio_init) X(H5Pget_class_name) X(H5free_memory) \
  X(H5Fget_create_plist) X(H5Pget_userblock) X(H5Pfill_value_defined)

// clang-format on

enum class Call : int {
#define WEFT_AS_ENUMERATOR(name) name,
  WEFT_FRONT_CALLS(WEFT_AS_ENUMERATOR) WEFT_OTHER_CALLS(WEFT_AS_ENUMERATOR)
#undef WEFT_AS_ENUMERATOR
      count
};

}  // namespace weft::with
