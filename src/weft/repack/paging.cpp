#include "weft/repack/paging.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/hdf5_versions.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"
#include "weft/survey/chunk_source.hpp"
#include "weft/survey/open_file.hpp"

namespace weft::repack {

namespace {

using storage::Handle;

// https://docs.hdfgroup.org/hdf5/v1_10/group___f_c_p_l.html (H5Pset_file_space_page_size)
constexpr std::uint64_t kLeastPage = 512;
constexpr std::uint64_t kMostPage = 1ULL << 30;

// An entry of an index of chunks, with its share of the nodes above it, in a file of two or three axes.
constexpr std::uint64_t kBytesOfAnEntry = 64;

// https://docs.hdfgroup.org/hdf5/v1_10/_f_m_t3.html ("Global Heap"): so much before each object, and what HDF5 makes a
// heap of at least.
constexpr std::uint64_t kBeforeAnObject = 16;
constexpr std::uint64_t kHeap = 4096;

std::uint64_t in_the_heap(std::uint64_t bytes) { return kBeforeAnObject + (bytes + 7) / 8 * 8; }

// What the texts and lists of one attribute take in the heap.
std::uint64_t heap_bytes_of(hid_t object, const char* name) {
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT));
  const Handle type(H5Aget_type(attribute));
  std::uint64_t bytes = 0;
  if (H5Tis_variable_str(type) > 0) {
    for (const std::string& text : storage::read_texts(object, name)) bytes += in_the_heap(text.size() + 1);
  } else if (H5Tget_class(type) == H5T_VLEN) {
    const Handle space(H5Aget_space(attribute));
    const Handle element(H5Tget_super(type));
    std::vector<hvl_t> lists(static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space))));
    if (H5Aread(attribute, type, lists.data()) < 0) return 0;
    for (const hvl_t& list : lists) bytes += in_the_heap(list.len * H5Tget_size(element));
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, lists.data());
  }
  return bytes;
}

herr_t add_heap_bytes(hid_t object, const char* name, const H5A_info_t*, void* data) {
  *static_cast<std::uint64_t*>(data) += heap_bytes_of(object, name);
  return 0;
}

herr_t add_those_of_an_object(hid_t from, const char* name, const storage::VisitedObject*, void* data) {
  const Handle object(H5Oopen(from, name, H5P_DEFAULT));
  return object.valid() ? H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, add_heap_bytes, data) : -1;
}

// A dataset without a name: it goes, and its place is free, when it is closed.
Handle room_for_attributes(hid_t from, hid_t to, const RepackPlan& plan) {
  std::uint64_t bytes = 0;
  storage::check_hdf5(storage::visit_objects(from, add_those_of_an_object, &bytes), "/", "attributes cannot be read",
                      ErrorKind::data);
  for (const Chosen& chosen : plan.chosen) bytes += in_the_heap(chosen.rationale.size() + 1);
  // What does not fit into the rest of a heap begins another one.
  bytes = ceil_div(bytes + bytes / 8, kHeap) * kHeap + kHeap;
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
  const Handle space = storage::simple_space({bytes});
  return Handle(storage::check_hdf5(H5Dcreate_anon(to, H5T_NATIVE_UINT8, space, properties, H5P_DEFAULT), "/",
                                    "no room can be made in the new file"));
}

}  // namespace

std::uint64_t page_bytes_for(const RepackPlan& plan) {
  constexpr std::uint64_t kShortest = 1ULL << 20;
  constexpr std::uint64_t kLongest = 8ULL << 20;
  std::uint64_t bytes = plan.survey.metadata_bytes;
  for (const Chosen& chosen : plan.chosen) {
    std::uint64_t chunks = 1;
    for (std::size_t axis = 0; axis < chosen.chunk.size(); ++axis) {
      chunks *= ceil_div(chosen.facts.shape[axis], chosen.chunk[axis]);
    }
    bytes += chunks * kBytesOfAnEntry - std::min(bytes, chosen.facts.index_bytes);
  }
  return std::clamp(std::bit_ceil(std::min(kLongest, bytes)), kShortest, kLongest);
}

void check_pages(const std::string& file, std::uint64_t page_bytes) {
  if (page_bytes < kLeastPage || page_bytes > kMostPage) {
    throw Error(ErrorKind::usage, fmt::format("--cloud={}", page_bytes), "is no size of pages that HDF5 has",
                fmt::format("give {} to {}", format_bytes(kLeastPage), format_bytes(kMostPage)));
  }
  if (const std::uint64_t block = survey::user_block_of(survey::open_file(file)); block > 0) {
    throw Error(ErrorKind::usage, file,
                fmt::format("has a user block of {} bytes, beside which HDF5 has no pages", block),
                "h5unjam takes it away");
  }
}

void set_pages(hid_t creation, std::uint64_t page_bytes) {
  storage::check_hdf5(H5Pset_file_space_strategy(creation, H5F_FSPACE_STRATEGY_PAGE, false, 1), "--cloud",
                      "HDF5 refuses pages");
  storage::check_hdf5(H5Pset_file_space_page_size(creation, page_bytes), "--cloud", "HDF5 refuses pages");
}

void take_pages_away(hid_t creation) {
  storage::check_hdf5(H5Pset_file_space_strategy(creation, H5F_FSPACE_STRATEGY_FSM_AGGR, false, 1), "--cloud",
                      "HDF5 refuses a file without pages");
}

FrontRoom front_room(hid_t from, hid_t to, const RepackPlan& plan) {
  const auto room = std::make_shared<Handle>();
  return {[=, &plan] { *room = room_for_attributes(from, to, plan); }, [=] { room->reset(); }};
}

}  // namespace weft::repack
