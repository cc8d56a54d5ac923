#include "weft/verify/plan_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/survey/object_walk.hpp"
#include "weft/survey/survey.hpp"
#include "weft/survey/virtual_sources.hpp"

namespace weft::verify {

namespace {

using storage::ArrayObject;
using storage::ConstantObject;
using storage::GroupObject;
using storage::Handle;
using storage::HardLink;
using storage::SoftLink;
using storage::VirtualObject;

Handle open_object(hid_t file, const std::string& path) {
  return Handle(storage::check_hdf5(H5Oopen(file, path.c_str(), H5P_DEFAULT), path, "is missing", ErrorKind::data));
}

std::string shape_departure(hid_t dataset, const std::string& path, DataType type, const Shape& shape) {
  if (H5Iget_type(dataset) != H5I_DATASET) return path + " is not a dataset";
  const survey::DatasetFacts facts = survey::facts_of(dataset, path);
  if (facts.shape != shape) return fmt::format("{} is {}, not {}", path, to_string(facts.shape), to_string(shape));
  const Handle stored(H5Dget_type(dataset));
  if (H5Tequal(stored, storage::native_type(type)) <= 0) {
    return fmt::format("{} is {}, not {}", path, facts.type, name_of(type));
  }
  return {};
}

// Each returns what departs from the plan, or "".
struct Departure {
  hid_t file;

  std::string operator()(const GroupObject& group) const {
    const Handle object = open_object(file, group.path);
    for (const auto& [name, value] : group.attributes) {
      if (!has_attribute(object, name, value)) return fmt::format("{} has another attribute {}", group.path, name);
    }
    return {};
  }

  std::string operator()(const HardLink& link) const {
    const Handle one = open_object(file, link.path);
    const Handle other = open_object(file, link.target);
    return survey::address_of(one) == survey::address_of(other) ? ""
                                                                : fmt::format("{} is not {}", link.path, link.target);
  }

  std::string operator()(const SoftLink& link) const {
    const Handle one = open_object(file, link.path);
    const Handle other = open_object(file, link.target);
    return survey::address_of(one) == survey::address_of(other)
               ? ""
               : fmt::format("{} does not point to {}", link.path, link.target);
  }

  std::string operator()(const ArrayObject& array) const {
    const Handle dataset = open_object(file, array.path);
    std::string departure = shape_departure(dataset, array.path, array.type, array.shape);
    if (!departure.empty() || array.values.empty()) return departure;
    std::vector<std::byte> values(array.values.size());
    storage::check_hdf5(
        H5Dread(dataset, storage::native_type(array.type), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), array.path,
        "cannot be read", ErrorKind::data);
    return values == array.values ? "" : array.path + " has other values";
  }

  std::string operator()(const ConstantObject& constant) const {
    const Handle dataset = open_object(file, constant.path);
    std::string departure = shape_departure(dataset, constant.path, DataType::int64, constant.shape);
    if (!departure.empty() || element_count(constant.shape) == 0) return departure;
    std::vector<std::int64_t> values(element_count(constant.shape));
    storage::check_hdf5(H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), constant.path,
                        "cannot be read", ErrorKind::data);
    const auto other = std::find_if(values.begin(), values.end(), [&](auto value) { return value != constant.value; });
    return other == values.end() ? ""
                                 : fmt::format("{} has {} where {} belongs", constant.path, *other, constant.value);
  }

  std::string operator()(const VirtualObject& object) const {
    const Handle dataset = open_object(file, object.path);
    std::string departure = shape_departure(dataset, object.path, object.type, object.shape);
    if (!departure.empty()) return departure;
    const std::vector<survey::VirtualSource> sources = survey::virtual_sources(dataset);
    std::vector<survey::VirtualSource> planned;
    for (const storage::Mapping& mapping : object.mappings) planned.push_back(survey::source_of(mapping));
    if (sources.size() != planned.size()) {
      return fmt::format("{} shows {} pieces, not {}", object.path, sources.size(), planned.size());
    }
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i] == planned[i]) continue;
      if (sources[i].dataset != planned[i].dataset || sources[i].file != planned[i].file) {
        return fmt::format("{} shows {}, not {}", object.path, sources[i].dataset, planned[i].dataset);
      }
      return fmt::format("{} shows other elements of {} ({}), or elsewhere ({})", object.path, sources[i].dataset,
                         sources[i].from, sources[i].to);
    }
    return {};
  }

 private:
  static bool has_attribute(hid_t object, const std::string& name, const storage::AttributeValue& value) {
    if (H5Aexists(object, name.c_str()) <= 0) return false;
    if (const auto* text = std::get_if<std::string>(&value)) return storage::read_text(object, name) == *text;
    if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
      return storage::read_texts(object, name) == *texts;
    }
    if (const auto* fixed = std::get_if<storage::FixedText>(&value)) return has_fixed_text(object, name, fixed->text);
    const std::vector<double> numbers = storage::read_numbers(object, name);
    if (const auto* one = std::get_if<double>(&value)) return numbers == std::vector<double>{*one};
    if (const auto* one = std::get_if<std::int64_t>(&value)) {
      return numbers == std::vector<double>{static_cast<double>(*one)};
    }
    if (const auto* many = std::get_if<std::vector<double>>(&value)) return numbers == *many;
    const auto& integers = std::get<std::vector<std::int64_t>>(value);
    return numbers == std::vector<double>(integers.begin(), integers.end());
  }

  static bool has_fixed_text(hid_t object, const std::string& name, const std::string& wanted) {
    const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT));
    const Handle type(H5Aget_type(attribute));
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0 || H5Tget_size(type) != wanted.size()) {
      return false;
    }
    std::string text(wanted.size(), '\0');
    return H5Aread(attribute, type, text.data()) >= 0 && text == wanted;
  }
};

template <typename OneObject>
std::string departure_or_error(hid_t file, const OneObject& object) {
  try {
    return Departure{file}(object);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

std::vector<std::string> departures(hid_t file, const storage::ObjectPlan& plan) {
  const storage::QuietHdf5 quiet;
  std::vector<std::string> lines;
  for (const storage::Object& object : plan) {
    std::string line = std::visit([&](const auto& one) { return departure_or_error(file, one); }, object);
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::string departure_of(hid_t file, const VirtualObject& object) {
  const storage::QuietHdf5 quiet;
  return departure_or_error(file, object);
}

}  // namespace weft::verify
