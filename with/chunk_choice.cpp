#include "with/chunk_choice.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "weft/layout/design.hpp"
#include "with/closing.hpp"
#include "with/dataset.hpp"

namespace weft::with {

namespace {

constexpr std::uint64_t kFewComponents = 16;  // a last axis no longer than this holds what a node has

Shape as_shape(const std::array<hsize_t, H5S_MAX_RANK>& values, int axes) {
  return {values.begin(), values.begin() + std::max(0, axes)};
}

// A chunk that HDF5 would refuse, so that it says so: longer than an axis that stays as it is, or of 4 GiB and more.
bool is_refused(const Shape& chunk, const Shape& dims, const Shape& most, std::uint64_t element_bytes) {
  auto bytes = static_cast<double>(element_bytes);
  for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
    if (most[axis] == dims[axis] && chunk[axis] > dims[axis]) return true;
    bytes *= static_cast<double>(chunk[axis]);
  }
  return bytes >= 4294967296.0;
}

// Filters that only this program knows (HDF5 keeps these numbers for such): what they do may depend on the chunk.
bool has_filters_of_its_own(Library& library, hid_t creation) {
  constexpr int kFirst = 256;
  constexpr int kLast = 511;
  const int filters = WEFT_CALL(library, H5Pget_nfilters)(creation);
  for (int at = 0; at < filters; ++at) {
    unsigned flags = 0;
    unsigned config = 0;
    size_t values = 0;
    const H5Z_filter_t id = WEFT_CALL(library, H5Pget_filter2)(creation, static_cast<unsigned>(at), &flags, &values,
                                                               nullptr, 0, nullptr, &config);
    if (id >= kFirst && id <= kLast) return true;
  }
  return false;
}

hid_t new_access_list(Library& library) {
  const hid_t kind = library.property_class("H5P_CLS_DATASET_ACCESS_ID_g", "dataset access");
  return kind < 0 ? -1 : WEFT_CALL(library, H5Pcreate)(kind);
}

// Steps first; then space, the last axis apart where it is short.
layout::Axes axes_of(const Shape& shape) {
  if (shape.size() <= 2) return layout::default_axes(shape.size());
  const bool has_components = shape.back() <= kFewComponents;
  const std::size_t spatial = shape.size() - 1 - (has_components ? 1 : 0);
  layout::Axes axes{{"step", layout::AxisRole::step}};
  for (std::size_t axis = 0; axis < spatial; ++axis) {
    axes.push_back({spatial == 1 ? "node" : "axis" + std::to_string(axis), layout::AxisRole::spatial});
  }
  if (has_components) axes.push_back({"component", layout::AxisRole::component});
  return axes;
}

}  // namespace

Shape expected_extents(const Rule& rule, const Shape& extents, const Shape& maximum, const Shape& chunk) {
  constexpr std::uint64_t kUnlimited = H5S_UNLIMITED;
  Shape expected = extents;
  if (maximum[0] != extents[0]) {
    expected[0] = std::max(extents[0], rule.steps);
    if (maximum[0] != kUnlimited) expected[0] = std::min(expected[0], maximum[0]);
  }
  for (std::size_t axis = 1; axis < expected.size(); ++axis) {
    if (expected[axis] == 0) expected[axis] = chunk.empty() ? 1 : chunk[axis];
  }
  return expected;
}

std::optional<Shape> chunk_by(const Rule& rule, const Shape& expected, std::uint64_t element_bytes) {
  if (rule.keep || expected.size() < 2) return std::nullopt;
  if (std::find(expected.begin(), expected.end(), 0) != expected.end()) return std::nullopt;
  if (element_count(expected) * element_bytes < rule.least_bytes) return std::nullopt;
  if (!rule.chunk.empty()) {
    if (rule.chunk.size() != expected.size()) return std::nullopt;
    Shape given = rule.chunk;
    for (std::size_t axis = 0; axis < given.size(); ++axis) given[axis] = std::min(given[axis], expected[axis]);
    return given;
  }
  layout::DesignRequest request;
  request.shape = expected;
  request.element_bytes = element_bytes;
  request.target_bytes = rule.target_bytes;
  request.algorithm = layout::parse_algorithm(rule.algorithm);
  request.axes = axes_of(expected);
  request.read_text = rule.reads;
  return layout::design(request).chunk;
}

std::string path_of(Library& library, hid_t location, const char* name) {
  if (name == nullptr) return "";
  if (name[0] == '/') return name;
  std::array<char, 4096> text{};
  std::string path = WEFT_CALL(library, H5Iget_name)(location, text.data(), text.size()) > 0 ? text.data() : "/";
  if (path.empty() || path.back() != '/') path += '/';
  return path + name;
}

std::optional<ChosenChunk> choose_chunk(Library& library, const std::string& path, hid_t type, hid_t space,
                                        hid_t creation) {
  const auto rule = rule_for(path);
  if (!rule) return std::nullopt;
  std::array<hsize_t, H5S_MAX_RANK> dims{};
  std::array<hsize_t, H5S_MAX_RANK> most{};
  if (WEFT_CALL(library, H5Sget_simple_extent_type)(space) != H5S_SIMPLE) return std::nullopt;
  const int axes = WEFT_CALL(library, H5Sget_simple_extent_dims)(space, dims.data(), most.data());
  if (axes < 2) return std::nullopt;
  Shape asked;
  if (creation != H5P_DEFAULT) {
    const H5D_layout_t layout = WEFT_CALL(library, H5Pget_layout)(creation);
    if (layout == H5D_CHUNKED) {
      std::array<hsize_t, H5S_MAX_RANK> chunk{};
      const int chunk_axes = WEFT_CALL(library, H5Pget_chunk)(creation, H5S_MAX_RANK, chunk.data());
      if (chunk_axes != axes) return std::nullopt;  // HDF5 will say so
      asked = as_shape(chunk, axes);
    } else if (layout != H5D_CONTIGUOUS || WEFT_CALL(library, H5Pget_external_count)(creation) > 0) {
      return std::nullopt;
    }
  }
  if (asked.empty() && !rule->contiguous) return std::nullopt;
  const std::uint64_t element_bytes = WEFT_CALL(library, H5Tget_size)(type);
  if (element_bytes == 0) return std::nullopt;
  if (!asked.empty() && (is_refused(asked, as_shape(dims, axes), as_shape(most, axes), element_bytes) ||
                         has_filters_of_its_own(library, creation))) {
    return std::nullopt;
  }
  const Shape expected = expected_extents(*rule, as_shape(dims, axes), as_shape(most, axes), asked);
  const auto chunk = chunk_by(*rule, expected, element_bytes);
  if (!chunk || *chunk == asked) return std::nullopt;
  ChosenChunk chosen{-1, *chunk, asked, expected};
  if (creation == H5P_DEFAULT) {
    const hid_t kind = library.property_class("H5P_CLS_DATASET_CREATE_ID_g", "dataset create");
    chosen.creation = kind < 0 ? -1 : WEFT_CALL(library, H5Pcreate)(kind);
  } else {
    chosen.creation = WEFT_CALL(library, H5Pcopy)(creation);
  }
  const std::vector<hsize_t> extents(chunk->begin(), chunk->end());
  if (chosen.creation < 0) return std::nullopt;
  if (WEFT_CALL(library, H5Pset_chunk)(chosen.creation, axes, extents.data()) < 0) {
    WEFT_CALL(library, H5Pclose)(chosen.creation);
    return std::nullopt;
  }
  return chosen;
}

namespace {

// A copy of `access` with a cache for so many chunks; nullopt where that of the list is no smaller.
std::optional<hid_t> with_cache(Library& library, hid_t access, std::uint64_t chunks, std::uint64_t chunk_bytes) {
  chunks = std::min(chunks, settings().cache_bytes / std::max<std::uint64_t>(1, chunk_bytes));
  const Closing list(access == H5P_DEFAULT ? new_access_list(library) : WEFT_CALL(library, H5Pcopy)(access),
                     WEFT_CALL(library, H5Pclose));
  size_t slots = 0;
  size_t bytes = 0;
  double preemption = 0;
  if (WEFT_CALL(library, H5Pget_chunk_cache)(list.id(), &slots, &bytes, &preemption) < 0 ||
      chunks * chunk_bytes <= bytes) {
    return std::nullopt;
  }
  const hid_t raised = WEFT_CALL(library, H5Pcopy)(list.id());
  if (raised >= 0) {
    WEFT_CALL(library, H5Pset_chunk_cache)
    (raised, std::max<size_t>(slots, chunks * 10 + 1), chunks * chunk_bytes, preemption);
  }
  return raised < 0 ? std::nullopt : std::optional(raised);
}

// Chunks that one step of a dataset crosses.
std::uint64_t chunks_of_a_row(const Shape& shape, const Shape& chunk) {
  std::uint64_t row = 1;
  for (std::size_t axis = 1; axis < shape.size(); ++axis) row *= ceil_div(shape[axis], chunk[axis]);
  return row;
}

}  // namespace

std::optional<hid_t> cache_for_steps(Library& library, hid_t access, const Shape& expected, const Shape& chunk,
                                     std::uint64_t element_bytes) {
  return with_cache(library, access, chunks_of_a_row(expected, chunk), element_count(chunk) * element_bytes);
}

std::optional<hid_t> raise_cache(Library& library, hid_t id) {
  const std::shared_ptr<OpenDataset> dataset = dataset_of(library, id);
  if (!dataset || dataset->chunk.size() < 2 || !rule_for(dataset->path)) return std::nullopt;
  const Shape& shape = dataset->counters->shape;
  const std::uint64_t row = chunks_of_a_row(shape, dataset->chunk);
  const std::uint64_t column = ceil_div(shape[0], dataset->chunk[0]);
  const Closing now_used(WEFT_CALL(library, H5Dget_access_plist)(id), WEFT_CALL(library, H5Pclose));
  return with_cache(library, now_used.id(), std::max(row, column),
                    element_count(dataset->chunk) * dataset->element_bytes);
}

}  // namespace weft::with
