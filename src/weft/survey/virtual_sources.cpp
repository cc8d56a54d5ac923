#include "weft/survey/virtual_sources.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/support/error.hpp"
#include "weft/survey/selection_text.hpp"

namespace weft::survey {

namespace {

using storage::check_hdf5;
using storage::Handle;

std::string name_of(const std::function<ssize_t(char*, std::size_t)>& get) {
  const ssize_t length =
      check_hdf5(get(nullptr, 0), "", "a virtual dataset does not say what it shows", ErrorKind::data);
  std::string name(static_cast<std::size_t>(length) + 1, '\0');
  get(name.data(), name.size());
  name.resize(static_cast<std::size_t>(length));
  return name;
}

Shape extents_of(hid_t space) {
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return {extents.begin(), extents.end()};
}

// Equal sets of elements get equal words: a slab of several adjacent blocks is one block.
storage::Slab in_one_way(storage::Slab slab) {
  for (std::size_t axis = 0; axis < slab.start.size(); ++axis) {
    if (slab.count[axis] == H5S_UNLIMITED) continue;
    if (slab.count[axis] > 1 && slab.stride[axis] == slab.block[axis]) {
      slab.block[axis] *= slab.count[axis];
      slab.count[axis] = 1;
    }
    if (slab.count[axis] == 1) slab.stride[axis] = 1;
  }
  return slab;
}

std::string slab_text(const storage::Slab& slab) {
  const storage::Slab one = in_one_way(slab);
  return fmt::format("from {} every {}: {} of {}", fmt::join(one.start, " "), fmt::join(one.stride, " "),
                     fmt::join(one.count, " "), fmt::join(one.block, " "));
}

std::string pattern_text(hid_t space) {
  const std::size_t rank = extents_of(space).size();
  if (H5Sget_select_type(space) == H5S_SEL_ALL) {
    return slab_text(storage::Slab::of(whole(extents_of(space))));
  }
  if (H5Sget_select_type(space) == H5S_SEL_HYPERSLABS && H5Sis_regular_hyperslab(space) > 0) {
    std::vector<hsize_t> start(rank);
    std::vector<hsize_t> stride(rank);
    std::vector<hsize_t> count(rank);
    std::vector<hsize_t> block(rank);
    check_hdf5(H5Sget_regular_hyperslab(space, start.data(), stride.data(), count.data(), block.data()), "",
               "a virtual dataset does not say what it shows", ErrorKind::data);
    return slab_text({{start.begin(), start.end()},
                      {stride.begin(), stride.end()},
                      {count.begin(), count.end()},
                      {block.begin(), block.end()}});
  }
  return selection_text(space);
}

// The file keeps no extents of what it shows, only which elements.
Shape reach_of(hid_t space) {
  const std::size_t rank = extents_of(space).size();
  std::vector<hsize_t> low(rank);
  std::vector<hsize_t> high(rank);
  if (H5Sget_select_bounds(space, low.data(), high.data()) < 0) {
    H5Eclear2(H5E_DEFAULT);
    return {};
  }
  for (hsize_t& last : high) ++last;
  return {high.begin(), high.end()};
}

}  // namespace

VirtualSource source_of(const storage::Mapping& mapping) {
  VirtualSource source{mapping.file, mapping.source, mapping.from.start, slab_text(mapping.from),
                       slab_text(mapping.to)};
  for (std::size_t axis = 0; axis < source.reach.size(); ++axis) {
    source.reach[axis] += (mapping.from.count[axis] - 1) * mapping.from.stride[axis] + mapping.from.block[axis];
  }
  return source;
}

std::vector<VirtualSource> virtual_sources(hid_t dataset) {
  const Handle properties(check_hdf5(H5Dget_create_plist(dataset), "", "a dataset has no properties", ErrorKind::data));
  if (H5Pget_layout(properties) != H5D_VIRTUAL) return {};
  std::size_t count = 0;
  check_hdf5(H5Pget_virtual_count(properties, &count), "", "a virtual dataset does not say what it shows",
             ErrorKind::data);
  std::vector<VirtualSource> sources;
  for (std::size_t i = 0; i < count; ++i) {
    VirtualSource source;
    source.file = name_of([&](char* to, std::size_t room) { return H5Pget_virtual_filename(properties, i, to, room); });
    source.dataset =
        name_of([&](char* to, std::size_t room) { return H5Pget_virtual_dsetname(properties, i, to, room); });
    const Handle from(check_hdf5(H5Pget_virtual_srcspace(properties, i), "",
                                 "a virtual dataset does not say what it shows", ErrorKind::data));
    const Handle to(check_hdf5(H5Pget_virtual_vspace(properties, i), "", "a virtual dataset does not say what it shows",
                               ErrorKind::data));
    source.reach = reach_of(from);
    source.from = pattern_text(from);
    source.to = pattern_text(to);
    sources.push_back(std::move(source));
  }
  return sources;
}

std::vector<std::string> source_files(hid_t dataset) {
  std::vector<std::string> files;
  for (const VirtualSource& source : virtual_sources(dataset)) {
    if (source.file != "." && std::ranges::count(files, source.file) == 0) files.push_back(source.file);
  }
  const Handle properties(check_hdf5(H5Dget_create_plist(dataset), "", "a dataset has no properties", ErrorKind::data));
  const int external = H5Pget_layout(properties) == H5D_CONTIGUOUS ? H5Pget_external_count(properties) : 0;
  for (int i = 0; i < external; ++i) {
    std::array<char, 4096> name{};
    off_t offset = 0;
    hsize_t bytes = 0;
    if (H5Pget_external(properties, static_cast<unsigned>(i), name.size() - 1, name.data(), &offset, &bytes) >= 0) {
      files.emplace_back(name.data());
    }
  }
  return files;
}

}  // namespace weft::survey
