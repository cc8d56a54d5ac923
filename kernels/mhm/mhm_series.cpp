// One HDF5 file by Weft's writer: every phase is a step, every value that of a point of a mesh of triangles. The file
// and its mesh are made before the first phase, as the folders and their meshes are.
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/io/mesh_part.hpp"
#include "kernels/io/series_output.hpp"
#include "kernels/mhm/criss_cross.hpp"
#include "kernels/mhm/mhm_output.hpp"
#include "weft/support/cell_type.hpp"

namespace weft::kernels::mhm {

namespace {

class MhmSeries final : public MhmOutput {
 public:
  MhmSeries(MpiCommunicator& comm, MhmOutputSpec spec) : comm_(comm), spec_(std::move(spec)) {}

  void prepare() override {
    SeriesSpec series;
    MeshPart mesh;
    agree_on(comm_, [&] {
      series = series_spec();
      mesh = mesh_part();
      series.mesh = mesh.spec();
    });
    series_.emplace(comm_, spec_.run.out + "/solution.h5", std::move(series), spec_.run,
                    FileAccount{mine_.app, mine_.system, mine_.times});
  }

  void write(std::uint64_t phase, std::span<const double> values, Done& done) override {
    if (!values.empty()) series_->put("solution", values);
    series_->end_step(static_cast<double>(phase));
    if (phase + 1 == spec_.run.phases) series_->close();
    mine_.bytes += values.size_bytes();
    done += std::exchange(mine_, {});
  }

 private:
  SeriesSpec series_spec() const {
    const MhmShape& shape = spec_.options.shape;
    const std::uint64_t points = shape.problems() * shape.values();
    const std::uint64_t first = spec_.problems.first * shape.values();
    const std::uint64_t mine = spec_.problems.count * shape.values();
    SeriesSpec series;
    series.steps = spec_.run.phases;
    series.align_bytes = spec_.run.align_bytes;
    FieldSpec field;
    field.name = "solution";
    field.per_step = {points};
    field.owned = partition::Ownership::box({points}, Box{{first}, {mine}});
    series.fields.push_back(std::move(field));
    return series;
  }

  MeshPart mesh_part() const {
    const std::uint64_t values = spec_.options.shape.values();
    MeshPart mesh;
    mesh.points = spec_.options.shape.problems() * values;
    mesh.owned = partition::Ownership::box({mesh.points, 3},
                                           Box{{spec_.problems.first * values, 0}, {spec_.problems.count * values, 3}});
    const CrissCross elements{spec_.options.shape.ccross};
    const Lattice lattice{spec_.options.shape.sub_elements};
    const std::uint64_t cells = spec_.problems.count * lattice.triangles();
    mesh.coordinates.reserve(3 * spec_.problems.count * lattice.points());
    mesh.connectivity.reserve(3 * cells);
    for (std::uint64_t problem = spec_.problems.first; problem < spec_.problems.first + spec_.problems.count;
         ++problem) {
      for (const Point& place : lattice.places(elements.corners_of(problem))) {
        mesh.coordinates.insert(mesh.coordinates.end(), {place.x, place.y, 0});
      }
      lattice.visit_triangles([&](const std::array<std::uint64_t, 3>& corners) {
        for (const std::uint64_t corner : corners) {
          mesh.connectivity.push_back(static_cast<std::int64_t>(problem * lattice.points() + corner));
        }
      });
    }
    mesh.cell_types.assign(cells, cell_type::triangle);
    mesh.cell_sizes.assign(cells, 3);
    return mesh;
  }

  MpiCommunicator& comm_;
  MhmOutputSpec spec_;
  Done mine_;  // since the last phase
  std::optional<SeriesOutput> series_;
};

}  // namespace

std::unique_ptr<MhmOutput> series_output(MpiCommunicator& comm, const MhmOutputSpec& spec) {
  return std::make_unique<MhmSeries>(comm, spec);
}

}  // namespace weft::kernels::mhm
