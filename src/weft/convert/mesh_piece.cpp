#include "weft/convert/mesh_piece.hpp"

#include <algorithm>
#include <cstring>

#include "weft/support/error.hpp"

namespace weft::convert {

namespace {

Error damaged() { return {ErrorKind::data, "mesh", "an index points outside the mesh", "the mesh is damaged"}; }

// The points of `mine` that no rank's cells use. Collective.
std::vector<std::int64_t> unused_points(Communicator& comm, std::span<const std::int64_t> used, std::uint64_t points) {
  std::vector<std::vector<std::byte>> told(static_cast<std::size_t>(comm.size()));
  for (int rank = 0; rank < comm.size(); ++rank) {
    const partition::Block block = partition::even_block(points, rank, comm.size());
    const auto begin = std::lower_bound(used.begin(), used.end(), static_cast<std::int64_t>(block.first));
    const auto end = std::lower_bound(begin, used.end(), static_cast<std::int64_t>(block.first + block.count));
    const auto bytes = std::as_bytes(std::span(begin, end));
    told[static_cast<std::size_t>(rank)].assign(bytes.begin(), bytes.end());
  }
  const partition::Block mine = partition::even_block(points, comm.rank(), comm.size());
  std::vector<bool> is_used(mine.count, false);
  for (const std::vector<std::byte>& bytes : comm.all_to_all(told)) {
    std::vector<std::int64_t> nodes(bytes.size() / sizeof(std::int64_t));
    if (!nodes.empty()) std::memcpy(nodes.data(), bytes.data(), bytes.size());
    for (const std::int64_t node : nodes) is_used[static_cast<std::size_t>(node) - mine.first] = true;
  }
  std::vector<std::int64_t> unused;
  for (std::uint64_t i = 0; i < mine.count; ++i) {
    if (!is_used[i]) unused.push_back(static_cast<std::int64_t>(mine.first + i));
  }
  return unused;
}

}  // namespace

std::vector<std::int64_t> number_locally(std::span<std::int64_t> connectivity, std::uint64_t points) {
  if (connectivity.empty()) return {};
  const auto [least, greatest] = std::minmax_element(connectivity.begin(), connectivity.end());
  if (*least < 0 || static_cast<std::uint64_t>(*greatest) >= points) throw damaged();
  const std::int64_t base = *least;
  const auto span = static_cast<std::uint64_t>(*greatest - base) + 1;
  std::vector<std::int64_t> nodes;
  if (span > 8 * connectivity.size()) {  // far apart: no table of all that lie between
    nodes.assign(connectivity.begin(), connectivity.end());
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    for (std::int64_t& corner : connectivity) {
      corner = std::lower_bound(nodes.begin(), nodes.end(), corner) - nodes.begin();
    }
    return nodes;
  }
  std::vector<std::int64_t> place(span, -1);
  for (const std::int64_t corner : connectivity) place[static_cast<std::size_t>(corner - base)] = 0;
  for (std::size_t i = 0; i < span; ++i) {
    if (place[i] < 0) continue;
    place[i] = static_cast<std::int64_t>(nodes.size());
    nodes.push_back(base + static_cast<std::int64_t>(i));
  }
  for (std::int64_t& corner : connectivity) corner = place[static_cast<std::size_t>(corner - base)];
  return nodes;
}

std::vector<RowRange> row_ranges(std::span<const std::int64_t> nodes, std::uint64_t bridge) {
  std::vector<RowRange> ranges;
  for (const std::int64_t node : nodes) {
    const auto row = static_cast<std::uint64_t>(node);
    if (!ranges.empty() && row - (ranges.back().first + ranges.back().count) <= bridge) {
      ranges.back().count = row + 1 - ranges.back().first;
    } else {
      ranges.push_back({row, 1});
    }
  }
  return ranges;
}

MeshPiece deal_piece(Communicator& comm, const StepSource& source, const view::Unstructured& mesh) {
  MeshPiece piece;
  piece.cells = partition::even_block(mesh.cells, comm.rank(), comm.size());
  agree_on(comm, [&] {
    if (piece.cells.count == 0) return;
    auto ends = source.mesh<std::int64_t>(mesh.offsets_path, piece.cells.first, piece.cells.count + 1);
    const std::int64_t first = ends[0];
    if (first < 0 || !std::is_sorted(ends.begin(), ends.end()) ||
        static_cast<std::uint64_t>(ends.back()) > mesh.corners) {
      throw damaged();
    }
    for (std::uint64_t c = 0; c < piece.cells.count; ++c) ends[c] = ends[c + 1] - first;
    ends.pop_back();
    piece.ends = std::move(ends);
    piece.types = source.mesh<std::uint8_t>(mesh.types_path, piece.cells.first, piece.cells.count);
    piece.connectivity = source.mesh<std::int64_t>(mesh.connectivity_path, static_cast<std::uint64_t>(first),
                                                   static_cast<std::uint64_t>(piece.ends.back()));
    piece.nodes = number_locally(piece.connectivity, mesh.points);
  });
  const std::vector<std::int64_t> unused = unused_points(comm, piece.nodes, mesh.points);
  if (unused.empty()) return piece;
  // Points between those of the cells: these move up.
  std::vector<std::int64_t> all(piece.nodes.size() + unused.size());
  std::merge(piece.nodes.begin(), piece.nodes.end(), unused.begin(), unused.end(), all.begin());
  std::vector<std::int64_t> place(piece.nodes.size());
  for (std::size_t i = 0, at = 0; i < place.size(); ++i, ++at) {
    while (all[at] != piece.nodes[i]) ++at;
    place[i] = static_cast<std::int64_t>(at);
  }
  for (std::int64_t& corner : piece.connectivity) corner = place[static_cast<std::size_t>(corner)];
  piece.nodes = std::move(all);
  return piece;
}

}  // namespace weft::convert
