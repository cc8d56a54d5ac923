#include "weft/refs/zarr_description.hpp"

#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/survey/chunk_source.hpp"
#include "weft/survey/object_walk.hpp"

namespace weft::refs {

namespace {

using nlohmann::json;
using storage::Handle;

// zarr has words for them.
json number_json(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

// The first number of `bytes`, which is of this type.
json first_number(hid_t type, std::vector<std::byte> bytes) {
  const bool floating = H5Tget_class(type) == H5T_FLOAT;
  const bool unsigned_integer = !floating && H5Tget_sign(type) == H5T_SGN_NONE;
  const hid_t memory = floating ? H5T_NATIVE_DOUBLE : unsigned_integer ? H5T_NATIVE_UINT64 : H5T_NATIVE_INT64;
  bytes.resize(std::max<std::size_t>(bytes.size(), 8));
  storage::check_hdf5(H5Tconvert(type, memory, 1, bytes.data(), nullptr, H5P_DEFAULT), "fill value", "cannot be read",
                      ErrorKind::data);
  const auto as = [&](auto value) {
    std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
  };
  if (floating) return number_json(as(double{}));
  return unsigned_integer ? json(as(std::uint64_t{})) : json(as(std::int64_t{}));
}

bool is_number(hid_t type) { return H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT; }

bool keeps_house(std::string_view name) {
  constexpr std::array<std::string_view, 11> kNames{"CLASS",
                                                    "NAME",
                                                    "REFERENCE_LIST",
                                                    "DIMENSION_LIST",
                                                    "DIMENSION_LABELS",
                                                    "_FillValue",
                                                    "_Netcdf4Dimid",
                                                    "_Netcdf4Coordinates",
                                                    "_nc3_strict",
                                                    "_NCProperties",
                                                    "_ARRAY_DIMENSIONS"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

template <typename Value>
json one_or_list(const std::vector<Value>& values) {
  return values.size() == 1 ? json(values[0]) : json(values);
}

// null where it is none that is told.
json attribute_value(hid_t object, const std::string& name) {
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT));
  const Handle type(H5Aget_type(attribute));
  switch (H5Tget_class(type)) {
    case H5T_STRING: {
      const std::vector<std::string> texts = storage::read_texts(object, name);
      return texts.empty() ? json("") : one_or_list(texts);
    }
    case H5T_INTEGER: {
      const std::vector<std::int64_t> integers = storage::read_integers(object, name);
      return integers.empty() ? json() : one_or_list(integers);
    }
    case H5T_FLOAT: {
      const std::vector<double> numbers = storage::read_numbers(object, name);
      const bool finite = std::all_of(numbers.begin(), numbers.end(), [](double n) { return std::isfinite(n); });
      return numbers.empty() || !finite ? json() : one_or_list(numbers);
    }
    default: return nullptr;
  }
}

std::string last_word(const std::string& path) { return path.substr(path.rfind('/') + 1); }

struct FirstScale {
  std::uint64_t address = HADDR_UNDEF;
  std::string name;
};

herr_t first_scale_of_axis(hid_t, unsigned, hid_t scale, void* data) {
  FirstScale& first = *static_cast<FirstScale*>(data);
  std::array<char, 1024> path{};
  if (H5Iget_name(scale, path.data(), path.size()) > 0) first.name = last_word(path.data());
  first.address = survey::address_of(scale);
  return 1;
}

}  // namespace

std::optional<std::string> dtype_of(hid_t type) {
  if (!is_number(type)) return std::nullopt;
  const std::size_t bytes = H5Tget_size(type);
  const bool floating = H5Tget_class(type) == H5T_FLOAT;
  const bool big = H5Tget_order(type) == H5T_ORDER_BE;
  const bool is_signed = !floating && H5Tget_sign(type) != H5T_SGN_NONE;
  // A number may have unused bits, or its exponent elsewhere.
  bool usual = false;
  if (!floating) {
    usual = (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && H5Tget_precision(type) == 8 * bytes;
  } else if (bytes == 4) {
    usual = H5Tequal(type, big ? H5T_IEEE_F32BE : H5T_IEEE_F32LE) > 0;
  } else if (bytes == 8) {
    usual = H5Tequal(type, big ? H5T_IEEE_F64BE : H5T_IEEE_F64LE) > 0;
  } else if (bytes == 2) {
    std::size_t sign = 0, exponent = 0, exponent_bits = 0, mantissa = 0, mantissa_bits = 0;
    usual = H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits) >= 0 && sign == 15 &&
            exponent == 10 && exponent_bits == 5 && mantissa == 0 && mantissa_bits == 10;
  }
  if (!usual) return std::nullopt;
  return fmt::format("{}{}{}", bytes == 1 ? '|' : big ? '>' : '<', floating ? 'f' : is_signed ? 'i' : 'u', bytes);
}

json attributes_of(hid_t object) {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5A_info_t*, void* data) -> herr_t {
    static_cast<std::vector<std::string>*>(data)->push_back(name);
    return 0;
  };
  storage::check_hdf5(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), "",
                      "attributes cannot be read", ErrorKind::data);
  json attributes = json::object();
  for (const std::string& name : names) {
    if (keeps_house(name)) continue;
    if (json value = attribute_value(object, name); !value.is_null()) attributes[name] = std::move(value);
  }
  return attributes;
}

json missing_number(hid_t dataset) {
  if (H5Aexists(dataset, "_FillValue") <= 0) return nullptr;
  const Handle attribute(H5Aopen(dataset, "_FillValue", H5P_DEFAULT));
  const Handle type(H5Aget_type(attribute));
  const Handle space(H5Aget_space(attribute));
  const Handle of_values(H5Dget_type(dataset));
  if (!is_number(type) || H5Tget_class(type) != H5Tget_class(of_values) || H5Sget_simple_extent_npoints(space) != 1) {
    return nullptr;
  }
  std::vector<std::byte> bytes(H5Tget_size(type));
  storage::check_hdf5(H5Aread(attribute, type, bytes.data()), "_FillValue", "cannot be read", ErrorKind::data);
  return first_number(type, std::move(bytes));
}

json fill_number(hid_t dataset) {
  const Handle type(H5Dget_type(dataset));
  return first_number(type, survey::fill_value(dataset));
}

bool only_counts(hid_t dataset) {
  constexpr std::string_view kNetcdf = "This is a netCDF dimension but not a netCDF variable";
  const std::vector<std::string> names = storage::read_texts(dataset, "NAME");
  return H5DSis_scale(dataset) > 0 && names.size() == 1 && names[0].starts_with(kNetcdf);
}

// "" where it has none.
std::string AxisNaming::name_of_axis(hid_t dataset, unsigned axis) const {
  if (H5DSget_num_scales(dataset, axis) > 0) {
    FirstScale first;
    H5DSiterate_scales(dataset, axis, nullptr, first_scale_of_axis, &first);
    const auto known = known_.find(first.address);
    return known == known_.end() ? first.name : last_word(known->second);
  }
  std::array<char, 256> label{};
  return H5DSget_label(dataset, axis, label.data(), label.size() - 1) > 0 ? label.data() : "";
}

std::vector<std::string> AxisNaming::names_of(hid_t dataset, const std::string& path, const Shape& shape) {
  std::vector<std::string> names;
  const bool is_scale = shape.size() == 1 && H5DSis_scale(dataset) > 0;  // a coordinate is its own scale
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::string name = is_scale ? last_word(path) : name_of_axis(dataset, static_cast<unsigned>(axis));
    const auto taken = [&](const std::string& wanted) {
      const auto known = extents_.find(wanted);
      return (known != extents_.end() && known->second != shape[axis]) ||
             std::find(names.begin(), names.end(), wanted) != names.end();
    };
    if (name.empty() || taken(name)) name = fmt::format("dim_{}", shape[axis]);
    const std::string plain = name;
    for (unsigned number = 2; taken(name); ++number) name = fmt::format("{}_{}", plain, number);
    extents_[name] = shape[axis];
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace weft::refs
