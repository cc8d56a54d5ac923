// The recorded steps of an HDF5 file, read through HDF5 itself: any layout, any filter, any file HDF5 opens.
#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "kernels/ecg/step_source.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels {

namespace {

using storage::check_hdf5;
using storage::Handle;

// How much of the recording a rank reads ahead: one HDF5 read for many steps, and a bound on memory.
constexpr std::uint64_t kAheadBytes = 64ULL << 20;

struct Recording {
  std::string file;
  std::string dataset;
  DataType type = DataType::float64;
  Shape shape;
  std::vector<double> times;
};

Shape extents_of(hid_t dataset) {
  const Handle space(H5Dget_space(dataset));
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return {extents.begin(), extents.end()};
}

// The type values are read as: the file's own, in this machine's byte order; nothing where Weft has none like it.
std::optional<DataType> type_of(hid_t dataset) {
  const Handle type(H5Dget_type(dataset));
  const std::size_t size = H5Tget_size(type);
  if (H5Tget_class(type) == H5T_FLOAT && (size == 4 || size == 8)) {
    return size == 4 ? DataType::float32 : DataType::float64;
  }
  if (H5Tget_class(type) != H5T_INTEGER) return std::nullopt;
  const bool with_sign = H5Tget_sign(type) == H5T_SGN_2;
  if (size == 1 && !with_sign) return DataType::uint8;
  if (size == 4 && with_sign) return DataType::int32;
  if (size == 8 && with_sign) return DataType::int64;
  return std::nullopt;
}

Handle open_recording(const std::string& file) {
  Handle handle(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  if (!handle.valid()) {
    throw Error(ErrorKind::data, file, "cannot be opened as HDF5: " + storage::take_hdf5_error(), "check the path");
  }
  return handle;
}

// /Data where there is one, else the largest dataset of at least two axes at the top of the file.
std::string find_dataset(hid_t file, const std::string& path) {
  if (H5Lexists(file, "Data", H5P_DEFAULT) > 0) return "/Data";
  struct Best {
    std::string name;
    std::uint64_t elements = 0;
  } best;
  H5Literate(
      file, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr,
      [](hid_t group, const char* name, const H5L_info_t*, void* data) -> herr_t {
        const Handle object(H5Oopen(group, name, H5P_DEFAULT));
        if (!object.valid() || H5Iget_type(object) != H5I_DATASET) return 0;
        const Shape shape = extents_of(object);
        auto& found = *static_cast<Best*>(data);
        if (shape.size() < 2 || !type_of(object) || element_count(shape) <= found.elements) return 0;
        found = {std::string("/") + name, element_count(shape)};
        return 0;
      },
      &best);
  if (best.name.empty()) {
    throw Error(ErrorKind::data, path, "has no dataset of steps and nodes at its top", "name one: --from FILE:DATASET");
  }
  return best.name;
}

// Step values from where such files keep them: Weft's /time, Chaste's /DATASET_Unlimited or /Time. Else the step
// number.
std::vector<double> find_times(hid_t file, const std::string& dataset, std::uint64_t steps) {
  std::vector<double> times(steps);
  for (std::uint64_t s = 0; s < steps; ++s) times[s] = static_cast<double>(s);
  for (const std::string& name : {std::string("/time"), dataset + "_Unlimited", std::string("/Time")}) {
    if (H5Lexists(file, name.c_str(), H5P_DEFAULT) <= 0) continue;
    const Handle values(H5Dopen2(file, name.c_str(), H5P_DEFAULT));
    if (!values.valid() || extents_of(values) != Shape{steps}) continue;
    if (H5Dread(values, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times.data()) >= 0) break;
  }
  H5Eclear2(H5E_DEFAULT);
  return times;
}

Recording look(const std::string& from) {
  const storage::QuietHdf5 quiet;
  Recording recording;
  // A colon may be part of a file's name: it divides only where what is before it opens.
  const std::size_t colon = from.rfind(':');
  recording.file = from;
  if (colon != std::string::npos && H5Fis_hdf5(from.c_str()) <= 0) {
    recording.file = from.substr(0, colon);
    recording.dataset = from.substr(colon + 1);
    if (!recording.dataset.starts_with('/')) recording.dataset.insert(0, "/");
  }
  H5Eclear2(H5E_DEFAULT);
  const Handle file = open_recording(recording.file);
  if (recording.dataset.empty()) recording.dataset = find_dataset(file, recording.file);
  const Handle dataset(check_hdf5(H5Dopen2(file, recording.dataset.c_str(), H5P_DEFAULT), recording.file,
                                  "cannot open dataset " + recording.dataset, ErrorKind::data));
  recording.shape = extents_of(dataset);
  if (recording.shape.size() < 2 || element_count(recording.shape) == 0) {
    throw Error(ErrorKind::data, recording.file,
                fmt::format("{} has shape {}", recording.dataset, to_string(recording.shape)),
                "a recording has steps along axis 0 and nodes along axis 1, at least one of each");
  }
  const auto type = type_of(dataset);
  if (!type) {
    throw Error(ErrorKind::data, recording.file, recording.dataset + " has a type Weft does not write",
                "it writes float32, float64, int32, int64 and uint8");
  }
  recording.type = *type;
  recording.times = find_times(file, recording.dataset, recording.shape[0]);
  return recording;
}

class ReplaySource final : public StepSource {
 public:
  ReplaySource(Communicator& comm, Recording recording, std::uint64_t nodes, std::uint64_t steps, Dealing dealing)
      : recording_(std::move(recording)), mine_(dealt_nodes(dealing, nodes, comm.rank(), comm.size())), steps_(steps) {
    SourceField field;
    field.name = recording_.dataset.substr(recording_.dataset.rfind('/') + 1);
    field.type = recording_.type;
    field.per_step = {nodes};
    field.per_step.insert(field.per_step.end(), recording_.shape.begin() + 2, recording_.shape.end());
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
      file_ = open_recording(recording_.file);
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
                                          Dealing dealing) {
  Recording recording;
  agree_on(comm, [&] {
    recording = look(from);
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
  return std::make_unique<ReplaySource>(comm, std::move(recording), *nodes, *steps, dealing);
}

}  // namespace weft::kernels
