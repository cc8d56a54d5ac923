#include "weft/refs/virtual_run.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/survey/chunk_source.hpp"

namespace weft::refs {

namespace {

using storage::Handle;

// What a selection of an array of this shape selects, where it is one box.
std::optional<Box> box_of(hid_t selection, const Shape& shape) {
  if (H5Sget_select_type(selection) == H5S_SEL_ALL) return whole(shape);
  if (H5Sget_select_type(selection) != H5S_SEL_HYPERSLABS || H5Sis_regular_hyperslab(selection) <= 0) {
    return std::nullopt;
  }
  std::array<hsize_t, H5S_MAX_RANK> start{}, stride{}, count{}, block{};
  const int rank = H5Sget_simple_extent_ndims(selection);
  if (rank != static_cast<int>(shape.size()) ||
      H5Sget_regular_hyperslab(selection, start.data(), stride.data(), count.data(), block.data()) < 0) {
    return std::nullopt;
  }
  Box box{Shape(shape.size()), Shape(shape.size())};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (count[axis] == H5S_UNLIMITED || block[axis] == H5S_UNLIMITED) return std::nullopt;
    if (count[axis] > 1 && stride[axis] != block[axis]) return std::nullopt;  // with gaps
    box.start[axis] = start[axis];
    box.count[axis] = count[axis] * block[axis];
    if (box.start[axis] + box.count[axis] > shape[axis]) return std::nullopt;
  }
  return box;
}

std::string virtual_name(const std::function<ssize_t(char*, std::size_t)>& get) {
  std::array<char, 1024> name{};
  const ssize_t length = get(name.data(), name.size());
  return length > 0 && static_cast<std::size_t>(length) < name.size() ? name.data() : "";
}

}  // namespace

std::optional<std::uint64_t> first_of_run(const Shape& shape, const Box& box) {
  bool several = false;  // an axis before this one has more than one place
  std::uint64_t first = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (several && box.count[axis] != shape[axis]) return std::nullopt;
    several = several || box.count[axis] > 1;
    first = first * shape[axis] + box.start[axis];
  }
  return first;
}

std::optional<VirtualRun> virtual_run(hid_t file, hid_t dataset, const Shape& shape) {
  const Handle properties(H5Dget_create_plist(dataset));
  std::size_t sources = 0;
  if (shape.empty() || H5Pget_virtual_count(properties, &sources) < 0 || sources != 1) return std::nullopt;
  const auto name_from = [&](auto get) {
    return virtual_name([&](char* to, std::size_t room) { return get(properties, 0, to, room); });
  };
  const std::string path = name_from(H5Pget_virtual_dsetname);
  if (name_from(H5Pget_virtual_filename) != "." || H5Lexists(file, path.c_str(), H5P_DEFAULT) <= 0) {
    return std::nullopt;
  }
  const Handle source(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
  if (!source.valid()) return std::nullopt;
  const Handle own_type(H5Dget_type(dataset));
  const Handle type(H5Dget_type(source));
  const survey::DatasetFacts facts = survey::facts_of(source, path);
  const haddr_t at = facts.storage == survey::StorageKind::contiguous ? H5Dget_offset(source) : HADDR_UNDEF;
  if (at == HADDR_UNDEF || H5Tequal(own_type, type) <= 0) return std::nullopt;

  const Handle from(H5Pget_virtual_srcspace(properties, 0));
  const Handle to(H5Pget_virtual_vspace(properties, 0));
  const std::optional<Box> shown = box_of(from, facts.shape);
  const std::optional<Box> where = box_of(to, shape);
  if (!shown || !where || element_count(shown->count) != element_count(where->count)) return std::nullopt;
  for (std::size_t axis = 1; axis < shape.size(); ++axis) {
    if (where->count[axis] != shape[axis]) return std::nullopt;
  }
  const std::optional<std::uint64_t> first = first_of_run(facts.shape, *shown);
  if (!first) return std::nullopt;
  return VirtualRun{at + *first * facts.element_bytes, where->start[0], where->count[0]};
}

}  // namespace weft::refs
