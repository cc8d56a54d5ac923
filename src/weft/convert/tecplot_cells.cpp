#include "weft/convert/tecplot_cells.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"

namespace weft::convert {

namespace {

constexpr std::uint8_t kVertex = 1;  // VTK's number

}  // namespace

bool TecplotCells::all_are_elements() const { return std::all_of(types.begin(), types.end(), is_element); }

TecplotCells deal_cells(Communicator& comm, const StepSource& source, const view::Unstructured& mesh) {
  TecplotCells cells;
  cells.mine = partition::even_block(mesh.cells, comm.rank(), comm.size());
  CellCounts counts{};
  agree_on(comm, [&] {
    if (cells.mine.count == 0) return;
    cells.types = source.mesh<std::uint8_t>(mesh.types_path, cells.mine.first, cells.mine.count);
    for (const std::uint8_t type : cells.types) ++counts[type];
  });
  std::uint64_t mine = 0;
  std::uint64_t others = 0;
  for (std::size_t type = 0; type < counts.size(); ++type) {
    if (is_element(static_cast<std::uint8_t>(type))) {
      mine += counts[type];
      counts[type] = comm.sum(counts[type]);
      cells.elements += counts[type];
    } else if (type != kVertex) {
      others += counts[type];
    }
  }
  cells.elements_before = comm.sum_before(mine);
  cells.zone = zone_for(counts);
  if (const std::uint64_t vertices = comm.sum(counts[kVertex]); vertices > 0) {
    cells.left_out.push_back(
        fmt::format("{} cells that are lone vertices: Tecplot has no such element", format_count(vertices)));
  }
  if (others = comm.sum(others); others > 0) {
    cells.left_out.push_back(fmt::format("{} cells of types that Tecplot does not have (curved ones, polygons, strips)",
                                         format_count(others)));
  }
  return cells;
}

void write_elements(const StepSource& source, const view::Unstructured& mesh, const TecplotCells& cells,
                    storage::ByteStore& store, std::uint64_t address) {
  constexpr std::uint64_t kAtOnce = 1 << 16;
  std::uint64_t next = address + 4 * corners_of(cells.zone) * cells.elements_before;
  std::vector<std::int32_t> elements;
  for (std::uint64_t done = 0; done < cells.mine.count; done += kAtOnce) {
    const std::uint64_t count = std::min(kAtOnce, cells.mine.count - done);
    const auto offsets = source.mesh<std::int64_t>(mesh.offsets_path, cells.mine.first + done, count + 1);
    const auto damaged = [] {
      return Error(ErrorKind::data, "mesh", "an index points outside the mesh", "the mesh is damaged");
    };
    if (!std::is_sorted(offsets.begin(), offsets.end()) || offsets[0] < 0 ||
        static_cast<std::uint64_t>(offsets.back()) > mesh.corners) {
      throw damaged();
    }
    const auto connectivity = source.mesh<std::int64_t>(mesh.connectivity_path, static_cast<std::uint64_t>(offsets[0]),
                                                        static_cast<std::uint64_t>(offsets.back() - offsets[0]));
    for (const std::int64_t node : connectivity) {
      if (node < 0 || static_cast<std::uint64_t>(node) >= mesh.points) throw damaged();
    }
    elements.clear();
    for (std::uint64_t c = 0; c < count; ++c) {
      const std::uint8_t type = cells.types[done + c];
      if (!is_element(type)) continue;
      append_element(cells.zone, type,
                     std::span(connectivity)
                         .subspan(static_cast<std::size_t>(offsets[c] - offsets[0]),
                                  static_cast<std::size_t>(offsets[c + 1] - offsets[c])),
                     elements);
    }
    store.write_at(next, std::as_bytes(std::span(elements)));
    next += elements.size() * sizeof(std::int32_t);
  }
}

}  // namespace weft::convert
