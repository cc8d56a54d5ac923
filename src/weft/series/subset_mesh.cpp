#include "weft/series/subset_mesh.hpp"

#include <algorithm>
#include <optional>

#include "weft/exchange/row_directory.hpp"
#include "weft/series/file_plan.hpp"

namespace weft::series {

namespace {

std::vector<exchange::ListedNode> listed_here(const FieldSpec& field) {
  std::vector<exchange::ListedNode> listed;
  if (!field.subset) return listed;  // it has no rows
  const std::uint64_t row = row_elements(field.per_step);
  for (const partition::Run& run : field.owned.runs()) {
    for (std::uint64_t i = 0; i < run.length / row; ++i) {
      listed.push_back({static_cast<std::int64_t>(field.subset->at(run.local / row + i)),
                        static_cast<std::int64_t>(run.global / row + i)});
    }
  }
  return listed;
}

struct OwnPoint {
  std::int64_t node;
  std::uint64_t local;  // its place in this rank's coordinates
};

// The points that this rank owns, some at a time.
class OwnPoints {
 public:
  explicit OwnPoints(const MeshSpec& mesh) : runs_(mesh.owned.runs()) {
    for (const partition::Run& run : runs_) {
      if (run.global % 3 == 0 && run.length % 3 == 0) continue;
      throw Error(ErrorKind::usage, "mesh", "a rank owns a part of a point", "let it own x, y and z, or none");
    }
  }

  bool at_end() const { return run_ == runs_.size(); }

  std::vector<OwnPoint> next(std::size_t most) {
    std::vector<OwnPoint> points;
    while (points.size() < most && !at_end()) {
      const partition::Run& run = runs_[run_];
      points.push_back({static_cast<std::int64_t>(run.global / 3 + inside_), run.local / 3 + inside_});
      if (++inside_ < run.length / 3) continue;
      ++run_;
      inside_ = 0;
    }
    return points;
  }

 private:
  const std::vector<partition::Run>& runs_;
  std::size_t run_ = 0;
  std::uint64_t inside_ = 0;
};

// Collective.
void add_points(Communicator& comm, const exchange::RowDirectory& rows, std::uint64_t subset_size, const MeshSpec& mesh,
                std::size_t at_once, SubsetMesh& part) {
  std::optional<OwnPoints> own;
  agree_on(comm, [&] { own.emplace(mesh); });
  std::vector<std::uint64_t> ids;
  while (comm.max(own->at_end() ? 0 : 1) == 1) {
    const std::vector<OwnPoint> some = own->next(at_once);
    std::vector<std::int64_t> wanted;
    wanted.reserve(some.size());
    for (const OwnPoint& point : some) wanted.push_back(point.node);
    const std::vector<std::int64_t> found = rows.rows_of(wanted);
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (found[i] < 0) continue;
      ids.push_back(static_cast<std::uint64_t>(found[i]));
      const auto at = mesh.coordinates.subspan(3 * some[i].local, 3);
      part.coordinates.insert(part.coordinates.end(), at.begin(), at.end());
    }
  }
  part.spec.points = subset_size;
  part.spec.owned = partition::Ownership::nodes({subset_size, 3}, ids);
}

// Cell `number` of a rank's part of the mesh; its corners begin at `corner` in the connectivity.
struct CellAt {
  std::size_t number;
  std::size_t corner;
};

// The next cells, whole, with at most so many corners (but one cell at least).
std::vector<CellAt> next_cells(const MeshSpec& mesh, CellAt& next, std::size_t most) {
  std::vector<CellAt> cells;
  const std::size_t first = next.corner;
  while (next.number < mesh.cell_sizes.size()) {
    const auto corners = static_cast<std::size_t>(mesh.cell_sizes[next.number]);
    if (!cells.empty() && next.corner + corners - first > most) break;
    cells.push_back(next);
    next = {next.number + 1, next.corner + corners};
  }
  return cells;
}

std::span<const std::int64_t> corners_of(const MeshSpec& mesh, const CellAt& cell) {
  return mesh.connectivity.subspan(cell.corner, static_cast<std::size_t>(mesh.cell_sizes[cell.number]));
}

// Collective.
void add_cells(Communicator& comm, const exchange::RowDirectory& rows, const MeshSpec& mesh, std::size_t at_once,
               SubsetMesh& part) {
  CellAt next{0, 0};
  while (comm.max(next.number < mesh.cell_sizes.size() ? 1 : 0) == 1) {
    std::vector<CellAt> cells = next_cells(mesh, next, at_once);
    // Most lists are short: few cells have a first corner that is listed, and only of those the others are asked for.
    std::vector<std::int64_t> wanted;
    for (const CellAt& cell : cells) {
      const auto corners = corners_of(mesh, cell);
      if (!corners.empty()) wanted.push_back(corners[0]);
    }
    std::vector<std::int64_t> found = rows.rows_of(wanted);
    std::size_t place = 0;
    std::erase_if(cells, [&](const CellAt& cell) { return !corners_of(mesh, cell).empty() && found[place++] < 0; });
    wanted.clear();
    for (const CellAt& cell : cells) {
      const auto corners = corners_of(mesh, cell);
      wanted.insert(wanted.end(), corners.begin(), corners.end());
    }
    found = rows.rows_of(wanted);
    auto at = found.begin();
    for (const CellAt& cell : cells) {
      const auto end = at + mesh.cell_sizes[cell.number];
      if (std::none_of(at, end, [](std::int64_t row) { return row < 0; })) {
        part.connectivity.insert(part.connectivity.end(), at, end);
        part.cell_types.push_back(mesh.cell_types[cell.number]);
        part.cell_sizes.push_back(mesh.cell_sizes[cell.number]);
      }
      at = end;
    }
  }
}

}  // namespace

SubsetMesh subset_mesh(Communicator& comm, const FieldSpec& field, const MeshSpec& mesh, std::size_t at_once) {
  const exchange::RowDirectory rows(comm, listed_here(field), mesh.points, field.name);
  SubsetMesh part;
  add_points(comm, rows, field.per_step.at(0), mesh, at_once, part);
  add_cells(comm, rows, mesh, at_once, part);
  part.spec.coordinates = part.coordinates;
  part.spec.cell_types = part.cell_types;
  part.spec.cell_sizes = part.cell_sizes;
  part.spec.connectivity = part.connectivity;
  return part;
}

}  // namespace weft::series
