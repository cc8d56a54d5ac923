#include "weft/storage/recording.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/hdf5_versions.hpp"

namespace weft::storage {

namespace {

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

// /Data where there is one, else the largest dataset of at least two axes at the top of the file.
std::string find_dataset(hid_t file, const std::string& path) {
  if (H5Lexists(file, "Data", H5P_DEFAULT) > 0) return "/Data";
  struct Best {
    std::string name;
    std::uint64_t elements = 0;
  } best;
  visit_links(
      file, H5_INDEX_NAME, H5_ITER_NATIVE,
      [](hid_t group, const char* name, const LinkInfo*, void* data) -> herr_t {
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
    throw Error(ErrorKind::data, path, "has no dataset of steps and nodes at its top", "name one: FILE:DATASET");
  }
  return best.name;
}

struct Times {
  std::vector<double> values;
  std::string units;
};

Times named_times(hid_t file, const std::string& path, const std::string& name, std::uint64_t steps) {
  const Handle values(
      check_hdf5(H5Dopen2(file, name.c_str(), H5P_DEFAULT), path, "cannot open dataset " + name, ErrorKind::data));
  const Shape shape = extents_of(values);
  if (element_count(shape) != steps) {
    throw Error(ErrorKind::data, path, fmt::format("{} has {} values for {} steps", name, element_count(shape), steps),
                "name the dataset of this series' times");
  }
  std::vector<double> times(steps);
  check_hdf5(H5Dread(values, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times.data()), path,
             "cannot read " + name, ErrorKind::data);
  return {times, time_units_of(values)};
}

Times find_times(hid_t file, const std::string& dataset, std::uint64_t steps) {
  Times times;
  for (std::uint64_t s = 0; s < steps; ++s) times.values.push_back(static_cast<double>(s));
  for (const std::string& name : {std::string("/time"), dataset + "_Unlimited", std::string("/Time")}) {
    if (H5Lexists(file, name.c_str(), H5P_DEFAULT) <= 0) continue;
    const Handle values(H5Dopen2(file, name.c_str(), H5P_DEFAULT));
    if (!values.valid() || extents_of(values) != Shape{steps}) continue;
    if (H5Dread(values, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times.values.data()) < 0) continue;
    times.units = time_units_of(values);
    break;
  }
  H5Eclear2(H5E_DEFAULT);
  return times;
}

// "V(mV)" -> V in mV.
Variable to_variable(const std::string& text) {
  const std::size_t open = text.rfind('(');
  if (open == std::string::npos || open == 0 || text.back() != ')') return {text, ""};
  return {text.substr(0, open), text.substr(open + 1, text.size() - open - 2)};
}

}  // namespace

std::vector<Variable> chaste_variables(hid_t dataset, std::uint64_t count) {
  std::vector<Variable> variables;
  for (const std::string& text : read_texts(dataset, "Variable Details")) variables.push_back(to_variable(text));
  if (variables.size() != count) variables.clear();
  return variables;
}

std::string time_units_of(hid_t times) {
  for (const char* name : {"units", "Unit"}) {
    const std::vector<std::string> texts = read_texts(times, name);
    if (!texts.empty() && !texts[0].empty()) return texts[0];
  }
  return {};
}

Handle open_recording(const std::string& file) {
  Handle handle(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  if (!handle.valid()) {
    throw Error(ErrorKind::data, file, "cannot be opened as HDF5: " + take_hdf5_error(), "check the path");
  }
  return handle;
}

std::string file_of_recording(const std::string& from) {
  const QuietHdf5 quiet;
  const std::size_t colon = from.rfind(':');
  const bool divides = colon != std::string::npos && H5Fis_hdf5(from.c_str()) <= 0;
  H5Eclear2(H5E_DEFAULT);
  return divides ? from.substr(0, colon) : from;
}

Recording find_recording(const std::string& from, const std::optional<std::string>& time) {
  const QuietHdf5 quiet;
  Recording recording;
  recording.file = file_of_recording(from);
  if (recording.file != from) {
    recording.dataset = from.substr(recording.file.size() + 1);
    if (!recording.dataset.starts_with('/')) recording.dataset.insert(0, "/");
  }
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
  Times times = time ? named_times(file, recording.file, *time, recording.shape[0])
                     : find_times(file, recording.dataset, recording.shape[0]);
  recording.times = std::move(times.values);
  recording.time_units = std::move(times.units);
  if (recording.shape.size() == 3) recording.variables = chaste_variables(dataset, recording.shape[2]);
  return recording;
}

}  // namespace weft::storage
