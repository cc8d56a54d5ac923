#include "weft/reduce/trace_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "weft/reading/series_reader.hpp"
#include "weft/reduce/field_choice.hpp"
#include "weft/storage/recording.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/storage/shared_file.hpp"

namespace weft::reduce {

namespace {

using storage::Handle;
using storage::Recording;

// Rows of a chunk are read in parts where it is larger: from about this size on a request costs what its bytes cost.
constexpr std::uint64_t kRequestBytes = 64ULL << 10;
// What is looked at as soon as it is read should still be in the processor's cache.
constexpr std::uint64_t kTogetherBytes = 2ULL << 20;

void check_times(const std::string& path, const std::vector<double>& times) {
  if (times.empty()) throw Error(ErrorKind::usage, path, "has no steps to reduce", "wait for the run's first window");
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (std::isfinite(times[i]) && (i == 0 || times[i] > times[i - 1])) continue;
    throw Error(ErrorKind::data, path, fmt::format("its times do not rise: step {} is at {}", i, times[i]),
                "quantities over time need times that do");
  }
}

class WeftTraces final : public TraceSource {
 public:
  WeftTraces(SeriesReader reader, const std::string& wanted) : reader_(std::move(reader)), times_(reader_.times()) {
    const FieldChoice choice = choose_field(reader_.path(), reader_.fields(), wanted);
    name_ = reader_.fields()[choice.field].name;
    components_ = choice.components;
    component_ = choice.component;
    check_times(reader_.path(), times_);
    const std::size_t number = *reader_.map().find_field(name_);
    const Shape& chunk = reader_.map().segments[0].fields[number].chunk;
    chunk_steps_ = chunk[0];
    nodes_together_ = std::min(chunk[1], ceil_div(kRequestBytes, row_bytes()));
  }

  std::uint64_t nodes() const override { return reader_.field(name_).per_step[0]; }
  const std::vector<double>& times() const override { return times_; }
  const std::string& units() const override { return reader_.field(name_).units; }
  const std::string& time_units() const override { return reader_.field("time").units; }
  std::uint64_t nodes_together() const override { return nodes_together_; }
  std::uint64_t steps_together(std::uint64_t nodes) const override {
    return std::min(chunk_steps_, std::max<std::uint64_t>(1, kTogetherBytes / (nodes * row_bytes())));
  }
  std::uint64_t bytes_a_node() const override { return row_bytes() * times_.size(); }

  // All components, as they lie side by side and would come along in any case.
  TraceBlock begin(std::uint64_t first, std::uint64_t count) override {
    first_ = first;
    count_ = count;
    bytes_.resize(count * row_bytes() * times_.size());
    return {reader_.field(name_).type, bytes_, times_.size(), count, components_, component_};
  }
  void read_steps(std::uint64_t from, std::uint64_t steps) override {
    const std::uint64_t step_bytes = count_ * row_bytes();
    reader_.read(name_, reader_.block_box(name_, first_, count_, from, steps),
                 std::span<std::byte>(bytes_).subspan(from * step_bytes, steps * step_bytes));
  }

 private:
  std::uint64_t row_bytes() const { return components_ * size_of(reader_.field(name_).type); }

  SeriesReader reader_;
  std::string name_;
  std::vector<double> times_;
  std::uint64_t components_ = 1;
  std::uint64_t component_ = 0;
  std::uint64_t chunk_steps_ = 1;
  std::uint64_t nodes_together_ = 1;
  std::uint64_t first_ = 0;  // of the block
  std::uint64_t count_ = 0;
  Values<std::byte> bytes_;
};

// Through HDF5's own reads, whatever the layout and the filters.
class RecordedTraces final : public TraceSource {
 public:
  RecordedTraces(Recording recording, const std::string& component) : recording_(std::move(recording)) {
    const Shape& shape = recording_.shape;
    std::vector<std::string> names;
    for (const storage::Variable& variable : recording_.variables) names.push_back(variable.name);
    for (std::size_t i = 2; i < shape.size(); ++i) components_ *= shape[i];
    const std::string where = recording_.file + ": " + recording_.dataset;
    component_ = component_number(where, component, names, components_);
    if (component_ < recording_.variables.size()) units_ = recording_.variables[component_].units;
    check_times(recording_.file, recording_.times);
    const storage::QuietHdf5 quiet;
    file_ = storage::open_recording(recording_.file);
    dataset_ = Handle(storage::check_hdf5(H5Dopen2(file_, recording_.dataset.c_str(), H5P_DEFAULT), recording_.file,
                                          "cannot open dataset " + recording_.dataset, ErrorKind::data));
    const Handle properties(H5Dget_create_plist(dataset_));
    std::vector<hsize_t> chunk(shape.size(), 1);
    if (H5Pget_layout(properties) == H5D_CHUNKED) {
      H5Pget_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
      chunk_steps_ = chunk[0];
      chunk_nodes_ = chunk[1];
    }
  }

  std::uint64_t nodes() const override { return recording_.shape[1]; }
  const std::vector<double>& times() const override { return recording_.times; }
  const std::string& units() const override { return units_; }
  const std::string& time_units() const override { return recording_.time_units; }
  std::uint64_t nodes_together() const override { return chunk_nodes_; }
  std::uint64_t steps_together(std::uint64_t nodes) const override {
    return std::max(chunk_steps_, kTogetherBytes / (nodes * sizeof(double)));
  }
  std::uint64_t bytes_a_node() const override { return recording_.shape[0] * sizeof(double); }

  TraceBlock begin(std::uint64_t first, std::uint64_t count) override {
    first_ = first;
    count_ = count;
    values_.resize(recording_.shape[0] * count);
    return {DataType::float64, std::as_bytes(std::span(values_)), recording_.shape[0], count, 1, 0};
  }
  void read_steps(std::uint64_t from, std::uint64_t steps) override {
    const storage::QuietHdf5 quiet;
    const Shape& shape = recording_.shape;
    std::vector<hsize_t> start(shape.size(), 0);
    std::vector<hsize_t> extent(shape.size(), 1);
    start[0] = from;
    extent[0] = steps;
    start[1] = first_;
    extent[1] = count_;
    std::uint64_t rest = component_;
    for (std::size_t axis = shape.size(); axis-- > 2;) {
      start[axis] = rest % shape[axis];
      rest /= shape[axis];
    }
    const Handle space(H5Dget_space(dataset_));
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr);
    const Handle memory(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr));
    storage::check_hdf5(
        H5Dread(dataset_, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values_.data() + from * count_),
        recording_.file, "cannot read " + recording_.dataset, ErrorKind::data);
  }

 private:
  Recording recording_;
  std::uint64_t components_ = 1;
  std::uint64_t component_ = 0;
  std::uint64_t chunk_steps_ = 1;
  std::uint64_t chunk_nodes_ = 1;
  std::uint64_t first_ = 0;  // of the block
  std::uint64_t count_ = 0;
  std::string units_;
  Handle file_;
  Handle dataset_;
  Values<double> values_;
};

}  // namespace

std::unique_ptr<TraceSource> open_traces(Communicator& comm, const std::string& path, const std::string& field) {
  const std::size_t colon = field.rfind(':');
  const std::string name = field.substr(0, colon);
  const std::string component = colon == std::string::npos ? "" : field.substr(colon + 1);
  std::uint64_t weft = 0;
  agree_on(comm, [&] {
    if (comm.rank() == 0) weft = storage::is_series_file(path) ? 1 : 0;
  });
  std::unique_ptr<TraceSource> source;
  if (comm.max(weft) == 1) {
    SeriesReader reader = SeriesReader::open(comm, path);
    agree_on(comm, [&] { source = std::make_unique<WeftTraces>(std::move(reader), field); });
    return source;
  }
  storage::find_one_file(comm, path);
  agree_on(comm, [&] {
    // --field V of a file whose only dataset has a variable V names the variable.
    const Recording whole = storage::find_recording(path);
    const bool variable = std::any_of(whole.variables.begin(), whole.variables.end(),
                                      [&](const storage::Variable& v) { return v.name == field; });
    source = variable ? std::make_unique<RecordedTraces>(whole, field)
                      : std::make_unique<RecordedTraces>(storage::find_recording(path + ":" + name), component);
  });
  return source;
}

}  // namespace weft::reduce
