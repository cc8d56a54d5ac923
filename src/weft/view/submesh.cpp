#include "weft/view/submesh.hpp"

#include "weft/support/error.hpp"

namespace weft::view {

Cells cells_among(std::span<const std::int64_t> nodes, std::uint64_t points, const Cells& all) {
  const auto outside = [] {
    return Error(ErrorKind::data, "mesh", "an index points outside the mesh", "the mesh is damaged");
  };
  std::vector<std::int64_t> place(points, -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] < 0 || static_cast<std::uint64_t>(nodes[i]) >= points) throw outside();
    place[static_cast<std::size_t>(nodes[i])] = static_cast<std::int64_t>(i);
  }
  Cells part;
  part.offsets.push_back(0);
  for (std::size_t cell = 0; cell < all.types.size(); ++cell) {
    const std::int64_t begin = all.offsets.at(cell);
    const std::int64_t end = all.offsets.at(cell + 1);
    if (begin < 0 || end < begin || static_cast<std::size_t>(end) > all.connectivity.size()) throw outside();
    const std::size_t before = part.connectivity.size();
    for (std::int64_t corner = begin; corner < end; ++corner) {
      const std::int64_t point = all.connectivity[static_cast<std::size_t>(corner)];
      if (point < 0 || static_cast<std::uint64_t>(point) >= points) throw outside();
      const std::int64_t at = place[static_cast<std::size_t>(point)];
      if (at < 0) break;
      part.connectivity.push_back(at);
    }
    if (part.connectivity.size() - before != static_cast<std::size_t>(end - begin)) {
      part.connectivity.resize(before);  // a point lies outside: not this cell
      continue;
    }
    part.types.push_back(all.types[cell]);
    part.offsets.push_back(static_cast<std::int64_t>(part.connectivity.size()));
  }
  return part;
}

}  // namespace weft::view
