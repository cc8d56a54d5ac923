#include "weft/reading/value_coding.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/support/error.hpp"

namespace weft::reading {

namespace {

using storage::Handle;

template <typename Action>
auto with_type(StoredType type, const Action& action) {
  switch (type) {
    case StoredType::int8: return action(std::int8_t{});
    case StoredType::uint8: return action(std::uint8_t{});
    case StoredType::int16: return action(std::int16_t{});
    case StoredType::uint16: return action(std::uint16_t{});
    case StoredType::int32: return action(std::int32_t{});
    case StoredType::uint32: return action(std::uint32_t{});
    case StoredType::int64: return action(std::int64_t{});
    case StoredType::uint64: return action(std::uint64_t{});
    case StoredType::float32: return action(float{});
    case StoredType::float64: return action(double{});
  }
  throw Error(ErrorKind::usage, "a type that is stored", "is not one of its members");
}

std::optional<StoredType> stored_type(hid_t dataset) {
  const Handle type(H5Dget_type(dataset));
  const std::size_t size = H5Tget_size(type);
  if (H5Tget_class(type) == H5T_FLOAT) {
    if (size == 2 || size == 4) return StoredType::float32;
    return size == 8 ? std::optional(StoredType::float64) : std::nullopt;
  }
  if (H5Tget_class(type) != H5T_INTEGER) return std::nullopt;
  const bool with_sign = H5Tget_sign(type) == H5T_SGN_2;
  switch (size) {
    case 1: return with_sign ? StoredType::int8 : StoredType::uint8;
    case 2: return with_sign ? StoredType::int16 : StoredType::uint16;
    case 4: return with_sign ? StoredType::int32 : StoredType::uint32;
    case 8: return with_sign ? StoredType::int64 : StoredType::uint64;
    default: return std::nullopt;
  }
}

// The type that holds every number of another.
DataType plain_type(StoredType stored) {
  switch (stored) {
    case StoredType::uint8: return DataType::uint8;
    case StoredType::int8:
    case StoredType::int16:
    case StoredType::uint16:
    case StoredType::int32: return DataType::int32;
    case StoredType::uint32:
    case StoredType::int64:
    case StoredType::uint64: return DataType::int64;
    case StoredType::float32: return DataType::float32;
    case StoredType::float64: return DataType::float64;
  }
  return DataType::float64;
}

bool is_floating(StoredType stored) { return stored == StoredType::float32 || stored == StoredType::float64; }

// Whether an attribute is there as a float32.
bool is_float32(hid_t dataset, const char* name) {
  const Handle attribute(H5Aopen(dataset, name, H5P_DEFAULT));
  const Handle type(H5Aget_type(attribute));
  return H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) == 4;
}

std::optional<double> number(hid_t dataset, const char* name) {
  if (H5Aexists(dataset, name) <= 0) return std::nullopt;
  const std::vector<double> values = storage::read_numbers(dataset, name);
  return values.size() == 1 ? std::optional(values[0]) : std::nullopt;
}

DataType unpacked_type(hid_t dataset, const ValueCoding& coding, bool scaled, bool shifted) {
  const std::uint64_t bytes = size_of(coding.stored);
  if (!scaled && !shifted) {
    const bool fits = is_floating(coding.stored) ? bytes == 4 : bytes <= 2;
    return fits ? DataType::float32 : DataType::float64;
  }
  const bool narrow = (!scaled || is_float32(dataset, "scale_factor")) &&
                      (!shifted || is_float32(dataset, "add_offset")) &&
                      (bytes <= 2 || coding.stored == StoredType::float32);
  return narrow ? DataType::float32 : DataType::float64;
}

template <typename Stored, typename Value>
void decode_as(const ValueCoding& coding, std::span<const std::byte> stored, std::span<std::byte> values) {
  const std::size_t count = stored.size() / sizeof(Stored);
  for (std::size_t i = 0; i < count; ++i) {
    Stored from;
    std::memcpy(&from, stored.data() + i * sizeof(Stored), sizeof(Stored));
    Value to;
    if (!coding.packed()) {
      if constexpr (std::is_same_v<Stored, std::uint64_t> && std::is_same_v<Value, std::int64_t>) {
        if (from > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
          throw Error(ErrorKind::data, "", "holds a number above 2^63 - 1, which Weft has no type for");
        }
      }
      to = static_cast<Value>(from);  // NOLINT(bugprone-signed-char-misuse): an int8 is a number, no character
    } else {
      const auto is_missing = [from](double fill) { return from == static_cast<Stored>(fill); };
      const bool missing = std::any_of(coding.missing.begin(), coding.missing.end(), is_missing);
      to = static_cast<Value>(missing ? std::numeric_limits<double>::quiet_NaN()
                                      : static_cast<double>(from) * coding.scale + coding.offset);
    }
    std::memcpy(values.data() + i * sizeof(Value), &to, sizeof(Value));
  }
}

}  // namespace

std::uint64_t size_of(StoredType type) {
  return with_type(type, [](auto number) { return sizeof(number); });
}

hid_t memory_type(StoredType type) {
  switch (type) {
    case StoredType::int8: return H5T_NATIVE_INT8;
    case StoredType::uint8: return H5T_NATIVE_UINT8;
    case StoredType::int16: return H5T_NATIVE_INT16;
    case StoredType::uint16: return H5T_NATIVE_UINT16;
    case StoredType::int32: return H5T_NATIVE_INT32;
    case StoredType::uint32: return H5T_NATIVE_UINT32;
    case StoredType::int64: return H5T_NATIVE_INT64;
    case StoredType::uint64: return H5T_NATIVE_UINT64;
    case StoredType::float32: return H5T_NATIVE_FLOAT;
    case StoredType::float64: return H5T_NATIVE_DOUBLE;
  }
  return H5I_INVALID_HID;
}

bool ValueCoding::is_identity() const {
  if (packed()) return false;
  // Of the whole numbers only these keep their bytes; a uint64 has to be looked at.
  return plain_type(stored) == type && size_of(stored) == weft::size_of(type) && stored != StoredType::uint64;
}

std::optional<ValueCoding> coding_of(hid_t dataset) {
  const std::optional<StoredType> stored = stored_type(dataset);
  if (!stored) return std::nullopt;
  ValueCoding coding{*stored, plain_type(*stored), 1, 0, {}};
  const std::optional<double> scale = number(dataset, "scale_factor");
  const std::optional<double> offset = number(dataset, "add_offset");
  if (scale) coding.scale = *scale;
  if (offset) coding.offset = *offset;
  for (const char* name : {"_FillValue", "missing_value"}) {
    const std::optional<double> fill = number(dataset, name);
    if (fill && !std::isnan(*fill)) coding.missing.push_back(*fill);  // a NaN is one already
  }
  if (scale || offset || !coding.missing.empty()) {
    coding.type = unpacked_type(dataset, coding, scale.has_value(), offset.has_value());
  }
  return coding;
}

void decode(const ValueCoding& coding, std::span<const std::byte> stored, std::span<std::byte> values) {
  with_type(coding.stored, [&](auto number) {
    using Stored = decltype(number);
    if (coding.packed() || is_floating(coding.stored)) {
      if (coding.type == DataType::float32) return decode_as<Stored, float>(coding, stored, values);
      return decode_as<Stored, double>(coding, stored, values);
    }
    switch (coding.type) {
      case DataType::uint8: return decode_as<Stored, std::uint8_t>(coding, stored, values);
      case DataType::int32: return decode_as<Stored, std::int32_t>(coding, stored, values);
      case DataType::int64: return decode_as<Stored, std::int64_t>(coding, stored, values);
      case DataType::float32: return decode_as<Stored, float>(coding, stored, values);
      case DataType::float64: return decode_as<Stored, double>(coding, stored, values);
    }
  });
}

}  // namespace weft::reading
