// The recorded steps of an HDF5 file, read through HDF5 itself: any layout, any filter, any file HDF5 opens.
#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cstring>

#include "kernels/ecg/step_source.hpp"
#include "weft/series/series_mesh.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/recording.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::ecg {

namespace {

using storage::check_hdf5;
using storage::Handle;
using storage::Recording;

// How much of the recording a rank reads ahead: one HDF5 read for many steps, and a bound on memory.
constexpr std::uint64_t kAheadBytes = 64ULL << 20;

// What a recording of Weft's own says beyond its values: names and units, and the mesh its nodes are those of.
struct OwnRecording {
  std::string units;
  std::vector<std::string> components;
  std::optional<view::Mesh> mesh;
};

std::optional<OwnRecording> own_recording(const Recording& recording, const std::string& name) {
  try {
    ReadOptions options;
    options.store = layout::Store{};  // to measure it would take longer than the little that is read
    const SeriesReader reader = SeriesReader::open(recording.file, options);
    if (!reader.is_weft()) return std::nullopt;
    const storage::FieldMap& field = reader.field(name);
    OwnRecording own{field.units, field.components, std::nullopt};
    if (has_mesh(reader) && field.subset == storage::Subset::all) own.mesh = read_mesh(reader);
    return own;
  } catch (const Error&) {
    return std::nullopt;  // somebody else's file
  }
}

// This rank's even share of a mesh that is whole here.
MeshSpec share_of(const view::Mesh& mesh, int rank, int ranks) {
  MeshSpec spec;
  spec.points = mesh.points.size() / 3;
  spec.owned = partition::even_nodes({spec.points, 3}, rank, ranks);
  const partition::Block points = partition::even_block(spec.points, rank, ranks);
  const auto coordinates = mesh.points.begin() + static_cast<std::ptrdiff_t>(3 * points.first);
  spec.coordinates.assign(coordinates, coordinates + static_cast<std::ptrdiff_t>(3 * points.count));
  const partition::Block cells = partition::even_block(mesh.cells.types.size(), rank, ranks);
  for (std::uint64_t c = cells.first; c < cells.first + cells.count; ++c) {
    spec.cell_types.push_back(mesh.cells.types[c]);
    spec.cell_sizes.push_back(mesh.cells.offsets[c + 1] - mesh.cells.offsets[c]);
    for (std::int64_t i = mesh.cells.offsets[c]; i < mesh.cells.offsets[c + 1]; ++i) {
      spec.connectivity.push_back(mesh.cells.connectivity[static_cast<std::size_t>(i)]);
    }
  }
  return spec;
}

class ReplaySource final : public StepSource {
 public:
  ReplaySource(Communicator& comm, Recording recording, std::uint64_t nodes, std::uint64_t steps, bool mesh,
               Dealing dealing)
      : recording_(std::move(recording)), mine_(dealt_nodes(dealing, nodes, comm.rank(), comm.size())), steps_(steps) {
    SourceField field;
    field.name = recording_.dataset.substr(recording_.dataset.rfind('/') + 1);
    field.type = recording_.type;
    if (const std::optional<OwnRecording> own = own_recording(recording_, field.name)) {
      field.units = own->units;
      field.components = own->components;
      if (mesh && own->mesh && own->mesh->points.size() == 3 * nodes) {
        mesh_ = share_of(*own->mesh, comm.rank(), comm.size());
      }
    }
    field.per_step = {nodes};
    field.per_step.insert(field.per_step.end(), recording_.shape.begin() + 2, recording_.shape.end());
    for (const storage::Variable& variable : recording_.variables) field.components.push_back(variable.name);
    field.owned = partition::Ownership::nodes(field.per_step, mine_);
    row_bytes_ = element_count(field.per_step) / nodes * size_of(field.type);
    fields_.push_back(std::move(field));
    if (!mine_.empty()) {
      low_ = *std::min_element(mine_.begin(), mine_.end());
      span_ = *std::max_element(mine_.begin(), mine_.end()) - low_ + 1;
      ahead_ = std::clamp<std::uint64_t>(kAheadBytes / (span_ * row_bytes_), 1, steps);
    }
  }

  const std::vector<SourceField>& fields() const override { return fields_; }
  std::uint64_t steps() const override { return steps_; }
  std::uint64_t nodes() const override { return fields_[0].per_step[0]; }
  double time_of(std::uint64_t step) override { return recording_.times[step]; }
  std::optional<MeshSpec> mesh() const override { return mesh_; }

  std::span<const std::byte> values(std::size_t, std::uint64_t step) override {
    if (mine_.empty()) return {};
    if (step < first_ || step >= first_ + held_) read_ahead(step);
    const std::byte* read = buffer_.data() + (step - first_) * span_ * row_bytes_;
    if (span_ == mine_.size() && std::is_sorted(mine_.begin(), mine_.end())) return {read, span_ * row_bytes_};
    picked_.resize(mine_.size() * row_bytes_);
    for (std::size_t i = 0; i < mine_.size(); ++i) {
      std::memcpy(picked_.data() + i * row_bytes_, read + (mine_[i] - low_) * row_bytes_, row_bytes_);
    }
    return picked_;
  }

 private:
  // Reads steps [step, step + ahead) of the nodes from the lowest to the highest of this rank.
  void read_ahead(std::uint64_t step) {
    const storage::QuietHdf5 quiet;
    if (!file_.valid()) {
      file_ = storage::open_recording(recording_.file);
      dataset_ = Handle(check_hdf5(H5Dopen2(file_, recording_.dataset.c_str(), H5P_DEFAULT), recording_.file,
                                   "cannot open dataset " + recording_.dataset, ErrorKind::data));
    }
    first_ = step;
    held_ = std::min(ahead_, steps_ - step);
    buffer_.resize(held_ * span_ * row_bytes_);
    std::vector<hsize_t> start(recording_.shape.size(), 0);
    std::vector<hsize_t> count(recording_.shape.begin(), recording_.shape.end());
    start[0] = step;
    start[1] = low_;
    count[0] = held_;
    count[1] = span_;
    const Handle space(H5Dget_space(dataset_));
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    const Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr));
    check_hdf5(H5Dread(dataset_, storage::native_type(recording_.type), memory, space, H5P_DEFAULT, buffer_.data()),
               recording_.file, fmt::format("cannot read step {} of {}", step, recording_.dataset), ErrorKind::data);
  }

  Recording recording_;
  std::vector<std::uint64_t> mine_;
  std::uint64_t steps_;
  std::optional<MeshSpec> mesh_;
  std::vector<SourceField> fields_;
  std::uint64_t row_bytes_ = 0;
  std::uint64_t low_ = 0;   // lowest node of this rank
  std::uint64_t span_ = 0;  // nodes from the lowest to the highest
  std::uint64_t ahead_ = 1;
  std::uint64_t first_ = 0;
  std::uint64_t held_ = 0;
  std::vector<std::byte> buffer_;
  std::vector<std::byte> picked_;
  Handle file_;
  Handle dataset_;
};

}  // namespace

std::unique_ptr<StepSource> replay_source(Communicator& comm, const std::string& from,
                                          std::optional<std::uint64_t> nodes, std::optional<std::uint64_t> steps,
                                          bool mesh, Dealing dealing) {
  Recording recording;
  agree_on(comm, [&] {
    recording = storage::find_recording(from);
    const auto take = [&](std::optional<std::uint64_t>& wanted, std::uint64_t there, const char* what) {
      if (wanted && (*wanted > there || *wanted == 0)) {
        throw Error(ErrorKind::usage, recording.file, fmt::format("has {} {}, not {}", there, what, *wanted),
                    fmt::format("leave --{} out to take all", what));
      }
      if (!wanted) wanted = there;
    };
    take(steps, recording.shape[0], "steps");
    take(nodes, recording.shape[1], "nodes");
  });
  return std::make_unique<ReplaySource>(comm, std::move(recording), *nodes, *steps, mesh, dealing);
}

}  // namespace weft::kernels::ecg
