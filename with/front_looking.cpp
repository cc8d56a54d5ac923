// with/front_looking.cpp - functions that look at what was written, in whatever way: what waits is written first.
#include "with/front.hpp"

using namespace weft::with;  // NOLINT(google-build-using-namespace): this file defines HDF5's names, which are global

#define WEFT_LOOKS(result, name, parameters, arguments, ...) \
  extern "C" result name parameters {                        \
    WEFT_FRONT_OF(name, arguments);                          \
    __VA_ARGS__;                                             \
    return real arguments;                                   \
  }
#define WEFT_FRONT_OF(name, arguments)                                   \
  Library& library = Library::of_caller(__builtin_return_address(0));    \
  auto* const real = WEFT_CALL(library, name);                           \
  if (real == nullptr) return static_cast<decltype(real arguments)>(-1); \
  if (Inside::now()) return real arguments

namespace {

// Whether a program that handles chunks by itself has to be stopped: they are not those that it asked for, and what it
// put there would be other values.
bool knows_other_chunks(Library& library, hid_t id) {
  if (!settings().layout) return false;
  return guarded(false, [&] {
    const std::lock_guard lock(gate());
    const auto dataset = dataset_of(library, id);
    if (!dataset || dataset->counters->wanted_chunk.empty()) return false;
    say(dataset->path +
        ": the program reads or writes its chunks by itself, and they are not those that it asked for; "
        "leave them to it: --layout FILE.toml, with keep = true");
    return true;
  });
}

}  // namespace

// Of one dataset, by a rank on its own.
WEFT_LOOKS(herr_t, H5Dread_chunk, (hid_t dataset, hid_t list, const hsize_t* at, uint32_t* mask, void* values),
           (dataset, list, at, mask, values), if (knows_other_chunks(library, dataset)) return -1;
           before_looking_at(library, dataset, false))
WEFT_LOOKS(herr_t, H5Dread_chunk1, (hid_t dataset, hid_t list, const hsize_t* at, std::uint32_t* mask, void* values),
           (dataset, list, at, mask, values), if (knows_other_chunks(library, dataset)) return -1;
           before_looking_at(library, dataset, false))
WEFT_LOOKS(herr_t, H5Dread_chunk2,
           (hid_t dataset, hid_t list, const hsize_t* at, std::uint32_t* mask, void* values, size_t* bytes),
           (dataset, list, at, mask, values, bytes), if (knows_other_chunks(library, dataset)) return -1;
           before_looking_at(library, dataset, false))
WEFT_LOOKS(herr_t, H5Dwrite_chunk,
           (hid_t dataset, hid_t list, uint32_t mask, const hsize_t* at, size_t bytes, const void* values),
           (dataset, list, mask, at, bytes, values), if (knows_other_chunks(library, dataset)) return -1;
           before_looking_at(library, dataset, false))
WEFT_LOOKS(hsize_t, H5Dget_storage_size, (hid_t dataset), (dataset), before_looking_at(library, dataset, false))
WEFT_LOOKS(haddr_t, H5Dget_offset, (hid_t dataset), (dataset), before_looking_at(library, dataset, false))
WEFT_LOOKS(herr_t, H5Dget_chunk_storage_size, (hid_t dataset, const hsize_t* at, hsize_t* bytes), (dataset, at, bytes),
           before_looking_at(library, dataset, false))
WEFT_LOOKS(herr_t, H5Dget_num_chunks, (hid_t dataset, hid_t space, hsize_t* count), (dataset, space, count),
           before_looking_at(library, dataset, false))
WEFT_LOOKS(herr_t, H5Dget_chunk_info,
           (hid_t dataset, hid_t space, hsize_t index, hsize_t* at, unsigned* mask, haddr_t* address, hsize_t* bytes),
           (dataset, space, index, at, mask, address, bytes), before_looking_at(library, dataset, false))
WEFT_LOOKS(herr_t, H5Dget_chunk_info_by_coord,
           (hid_t dataset, const hsize_t* at, unsigned* mask, haddr_t* address, hsize_t* bytes),
           (dataset, at, mask, address, bytes), before_looking_at(library, dataset, false))
WEFT_LOOKS(herr_t, H5Dchunk_iter, (hid_t dataset, hid_t list, WeftChunkAction act, void* data),
           (dataset, list, act, data), before_looking_at(library, dataset, false))
WEFT_LOOKS(herr_t, H5Dget_space_status, (hid_t dataset, H5D_space_status_t* status), (dataset, status),
           before_looking_at(library, dataset, false))
WEFT_LOOKS(herr_t, H5Dvlen_get_buf_size, (hid_t dataset, hid_t type, hid_t space, hsize_t* bytes),
           (dataset, type, space, bytes), before_looking_at(library, dataset, false))
WEFT_LOOKS(herr_t, H5Drefresh, (hid_t dataset), (dataset), before_looking_at(library, dataset, false))
WEFT_LOOKS(herr_t, H5Orefresh, (hid_t object), (object), before_looking_at_file(library, object, false))

// By all ranks of its file.
WEFT_LOOKS(herr_t, H5Dflush, (hid_t dataset), (dataset), before_looking_at(library, dataset, true))
WEFT_LOOKS(herr_t, H5Oflush, (hid_t object), (object), before_looking_at_file(library, object, true))
WEFT_LOOKS(herr_t, H5Dformat_convert, (hid_t dataset), (dataset), before_looking_at(library, dataset, true))
WEFT_LOOKS(herr_t, H5Fstart_swmr_write, (hid_t file), (file), before_looking_at_file(library, file, true);
           guarded(0, [&] {
             if (const auto known = file_of(library, file)) known->can_wait = false;
             return 0;
           }))
WEFT_LOOKS(herr_t, H5Fset_mpi_atomicity, (hid_t file, hbool_t flag), (file, flag),
           before_looking_at_file(library, file, true);
           guarded(0, [&] {
             if (const auto known = file_of(library, file); known && flag) known->can_wait = false;
             return 0;
           }))

// Of the file, or of more than one.
WEFT_LOOKS(ssize_t, H5Fget_file_image, (hid_t file, void* image, size_t bytes), (file, image, bytes),
           before_looking_at_file(library, file, false))
WEFT_LOOKS(herr_t, H5Fget_filesize, (hid_t file, hsize_t* bytes), (file, bytes),
           before_looking_at_file(library, file, false))
WEFT_LOOKS(hssize_t, H5Fget_freespace, (hid_t file), (file), before_looking_at_file(library, file, false))
WEFT_LOOKS(herr_t, H5Fget_vfd_handle, (hid_t file, hid_t list, void** handle), (file, list, handle),
           before_looking_at_file(library, file, false))
WEFT_LOOKS(herr_t, H5Ocopy, (hid_t from, const char* name, hid_t to, const char* copy, hid_t how, hid_t link),
           (from, name, to, copy, how, link), before_looking_at_all(library))
WEFT_LOOKS(herr_t, H5Ocopy_async,
           (const char* file, const char* function, unsigned line, hid_t from, const char* name, hid_t to,
            const char* copy, hid_t how, hid_t link, hid_t set),
           (file, function, line, from, name, to, copy, how, link, set), before_looking_at_all(library))
WEFT_LOOKS(herr_t, H5Dread_async,
           (const char* file, const char* function, unsigned line, hid_t dataset, hid_t type, hid_t memory, hid_t space,
            hid_t list, void* values, hid_t set),
           (file, function, line, dataset, type, memory, space, list, values, set),
           before_looking_at(library, dataset, is_collective(library, list)))
WEFT_LOOKS(herr_t, H5Dwrite_async,
           (const char* file, const char* function, unsigned line, hid_t dataset, hid_t type, hid_t memory, hid_t space,
            hid_t list, const void* values, hid_t set),
           (file, function, line, dataset, type, memory, space, list, values, set),
           before_looking_at(library, dataset, is_collective(library, list)))
WEFT_LOOKS(herr_t, H5Dset_extent_async,
           (const char* file, const char* function, unsigned line, hid_t dataset, const hsize_t extents[], hid_t set),
           (file, function, line, dataset, extents, set), before_looking_at(library, dataset, true);
           guarded(0, [&] {
             if (const auto known = dataset_of(library, dataset)) known->left_alone = true;  // it may become smaller
             return 0;
           }))
WEFT_LOOKS(herr_t, H5Dread_multi,
           (size_t count, hid_t datasets[], hid_t types[], hid_t memory[], hid_t spaces[], hid_t list, void* values[]),
           (count, datasets, types, memory, spaces, list, values),
           for (size_t at = 0; at < count; ++at) before_looking_at(library, datasets[at], is_collective(library, list)))
WEFT_LOOKS(herr_t, H5Dwrite_multi,
           (size_t count, hid_t datasets[], hid_t types[], hid_t memory[], hid_t spaces[], hid_t list,
            const void* values[]),
           (count, datasets, types, memory, spaces, list, values),
           for (size_t at = 0; at < count; ++at) before_looking_at(library, datasets[at], is_collective(library, list)))
WEFT_LOOKS(herr_t, H5Dread_multi_async,
           (const char* file, const char* function, unsigned line, size_t count, hid_t datasets[], hid_t types[],
            hid_t memory[], hid_t spaces[], hid_t list, void* values[], hid_t set),
           (file, function, line, count, datasets, types, memory, spaces, list, values, set),
           for (size_t at = 0; at < count; ++at) before_looking_at(library, datasets[at], is_collective(library, list)))
WEFT_LOOKS(herr_t, H5Dwrite_multi_async,
           (const char* file, const char* function, unsigned line, size_t count, hid_t datasets[], hid_t types[],
            hid_t memory[], hid_t spaces[], hid_t list, const void* values[], hid_t set),
           (file, function, line, count, datasets, types, memory, spaces, list, values, set),
           for (size_t at = 0; at < count; ++at) before_looking_at(library, datasets[at], is_collective(library, list)))
