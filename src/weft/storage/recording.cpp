#include "weft/storage/recording.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/storage/hdf5_objects.hpp"

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
    throw Error(ErrorKind::data, path, "has no dataset of steps and nodes at its top", "name one: FILE:DATASET");
  }
  return best.name;
}

// A text attribute of fixed or variable length, alone or first of a list; "" where there is none.
std::string first_text(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return {};
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT));
  const Handle type(H5Aget_type(attribute));
  const Handle space(H5Aget_space(attribute));
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) < 1) return {};
  if (H5Tis_variable_str(type) > 0) return H5Sget_simple_extent_npoints(space) == 1 ? read_text(object, name) : "";
  std::string text(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)) * H5Tget_size(type), '\0');
  if (H5Aread(attribute, type, text.data()) < 0) return {};
  text.resize(std::min(text.find('\0'), H5Tget_size(type)));
  return text;
}

struct Times {
  std::vector<double> values;
  std::string units;
};

std::string time_units_of(hid_t times) {
  const std::string units = first_text(times, "units");
  return units.empty() ? first_text(times, "Unit") : units;
}

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
Variable to_variable(std::string text) {
  text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
  while (!text.empty() && text.back() == ' ') text.pop_back();
  const std::size_t open = text.rfind('(');
  if (open == std::string::npos || open == 0 || text.back() != ')') return {text, ""};
  return {text.substr(0, open), text.substr(open + 1, text.size() - open - 2)};
}

// Chaste's list of names, in strings of fixed length; nothing where there is none, or not one a variable.
std::vector<Variable> find_variables(hid_t dataset, std::uint64_t count) {
  constexpr const char* kName = "Variable Details";
  if (H5Aexists(dataset, kName) <= 0) return {};
  const Handle attribute(H5Aopen(dataset, kName, H5P_DEFAULT));
  const Handle type(H5Aget_type(attribute));
  const Handle space(H5Aget_space(attribute));
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0) return {};
  const std::size_t length = H5Tget_size(type);
  const auto entries = static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space)));
  if (entries != count) return {};
  std::string text(entries * length, '\0');
  if (H5Aread(attribute, type, text.data()) < 0) return {};
  std::vector<Variable> variables;
  for (std::size_t i = 0; i < entries; ++i) variables.push_back(to_variable(text.substr(i * length, length)));
  return variables;
}

}  // namespace

Handle open_recording(const std::string& file) {
  Handle handle(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  if (!handle.valid()) {
    throw Error(ErrorKind::data, file, "cannot be opened as HDF5: " + take_hdf5_error(), "check the path");
  }
  return handle;
}

Recording find_recording(const std::string& from, const std::optional<std::string>& time) {
  const QuietHdf5 quiet;
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
  Times times = time ? named_times(file, recording.file, *time, recording.shape[0])
                     : find_times(file, recording.dataset, recording.shape[0]);
  recording.times = std::move(times.values);
  recording.time_units = std::move(times.units);
  if (recording.shape.size() == 3) recording.variables = find_variables(dataset, recording.shape[2]);
  return recording;
}

}  // namespace weft::storage
