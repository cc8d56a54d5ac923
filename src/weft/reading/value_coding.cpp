#include "weft/reading/value_coding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

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

// The integers that an enumeration, as h5py's booleans are one, gives names to; any other type as it is.
Handle unnamed(Handle type) { return H5Tget_class(type) == H5T_ENUM ? Handle(H5Tget_super(type)) : std::move(type); }

std::optional<StoredType> stored_type(hid_t dataset) {
  const Handle type = unnamed(Handle(H5Dget_type(dataset)));
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

// The one number of an attribute.
std::optional<double> number(hid_t dataset, const char* name) {
  const std::vector<double> values = storage::read_numbers(dataset, name);
  return values.size() == 1 ? std::optional(values[0]) : std::nullopt;
}

StoredType with_other_sign(StoredType type) {
  switch (type) {
    case StoredType::int8: return StoredType::uint8;
    case StoredType::uint8: return StoredType::int8;
    case StoredType::int16: return StoredType::uint16;
    case StoredType::uint16: return StoredType::int16;
    case StoredType::int32: return StoredType::uint32;
    case StoredType::uint32: return StoredType::int32;
    case StoredType::int64: return StoredType::uint64;
    case StoredType::uint64: return StoredType::int64;
    case StoredType::float32:
    case StoredType::float64: return type;
  }
  return type;
}

bool has_sign(StoredType type) {
  return with_type(type, [](auto number) { return std::is_signed_v<decltype(number)>; });
}

StoredType meant_type(hid_t dataset, StoredType stored) {
  const std::vector<std::string> said = storage::read_texts(dataset, "_Unsigned");
  if (said.empty() || is_floating(stored)) return stored;
  const bool other = has_sign(stored) ? said[0] == "true" : said[0] == "false";
  return other ? with_other_sign(stored) : stored;
}

// Whether a type of integers holds a number.
template <typename Number>
bool holds(StoredType type, Number number) {
  return with_type(type, [number](auto of) {
    using Integer = decltype(of);
    if constexpr (std::is_floating_point_v<Integer>) {
      return false;
    } else if constexpr (std::is_floating_point_v<Number>) {
      // The bounds are powers of two, which a double has exactly; the largest number itself may be none.
      const double end = std::ldexp(1.0, std::numeric_limits<Integer>::digits);
      return number == std::trunc(number) && number < end && number >= (std::is_signed_v<Integer> ? -end : 0.0);
    } else {
      return std::in_range<Integer>(number);
    }
  });
}

template <typename Number>
void add_missing(ValueCoding& coding, const std::vector<Number>& fills) {
  for (const Number fill : fills) {
    if (is_floating(coding.stored)) {
      const auto number = static_cast<double>(fill);
      if (!std::isnan(number)) coding.missing.push_back(std::bit_cast<std::uint64_t>(number));  // a NaN is one already
    } else if (holds(coding.stored, fill) || holds(coding.meant, fill)) {
      // By way of a signed integer: a negative double has no unsigned one.
      coding.missing.push_back(fill > Number{0} ? static_cast<std::uint64_t>(fill)
                                                : static_cast<std::uint64_t>(static_cast<std::int64_t>(fill)));
    }
  }
}

void add_missing(hid_t dataset, const char* name, ValueCoding& coding) {
  if (H5Aexists(dataset, name) <= 0) return;
  const Handle attribute(H5Aopen(dataset, name, H5P_DEFAULT));
  const Handle type = unnamed(Handle(H5Aget_type(attribute)));
  if (H5Tget_class(type) == H5T_FLOAT) return add_missing(coding, storage::read_numbers(dataset, name));
  if (H5Tget_class(type) != H5T_INTEGER) return;
  if (H5Tget_sign(type) == H5T_SGN_2) return add_missing(coding, storage::read_integers(dataset, name));
  const Handle space(H5Aget_space(attribute));
  std::vector<std::uint64_t> fills(
      static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space))));
  if (H5Aread(attribute, H5T_NATIVE_UINT64, fills.data()) >= 0) add_missing(coding, fills);
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

// A missing number as one of the type that it is compared with.
template <typename Stored>
Stored missing_as(std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<Stored>) {
    const auto number = std::bit_cast<double>(bits);
    if (std::is_same_v<Stored, float> && std::isfinite(number) &&
        std::abs(number) > static_cast<double>(std::numeric_limits<float>::max())) {
      return std::numeric_limits<Stored>::quiet_NaN();  // equals nothing
    }
    return static_cast<Stored>(number);
  } else {
    return static_cast<Stored>(bits);
  }
}

template <typename Stored, typename Value>
void decode_as(const ValueCoding& coding, std::span<const std::byte> stored, std::span<std::byte> values) {
  const std::size_t count = stored.size() / sizeof(Stored);
  std::vector<Stored> fills;
  for (const std::uint64_t bits : coding.missing) fills.push_back(missing_as<Stored>(bits));
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
      const bool missing = std::find(fills.begin(), fills.end(), from) != fills.end();
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
  return plain_type(meant) == type && size_of(meant) == weft::size_of(type) && meant != StoredType::uint64;
}

ValueCoding ValueCoding::plain(StoredType stored) {
  ValueCoding coding;
  coding.stored = coding.meant = stored;
  coding.type = plain_type(stored);
  return coding;
}

std::optional<ValueCoding> coding_of(hid_t dataset) {
  const std::optional<StoredType> stored = stored_type(dataset);
  if (!stored) return std::nullopt;
  ValueCoding coding = ValueCoding::plain(meant_type(dataset, *stored));
  coding.stored = *stored;
  const std::optional<double> scale = number(dataset, "scale_factor");
  const std::optional<double> offset = number(dataset, "add_offset");
  if (scale) coding.scale = *scale;
  if (offset) coding.offset = *offset;
  for (const char* name : {"_FillValue", "missing_value"}) add_missing(dataset, name, coding);
  if (scale || offset || !coding.missing.empty()) {
    coding.type = unpacked_type(dataset, coding, scale.has_value(), offset.has_value());
  }
  return coding;
}

void decode(const ValueCoding& coding, std::span<const std::byte> stored, std::span<std::byte> values) {
  with_type(coding.meant, [&](auto number) {
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

std::optional<std::vector<double>> all_values(hid_t dataset) {
  std::optional<ValueCoding> coding = coding_of(dataset);
  if (!coding) return std::nullopt;
  coding->type = DataType::float64;
  const Handle space(H5Dget_space(dataset));
  const auto count = static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space)));
  std::vector<std::byte> stored(count * size_of(coding->stored));
  storage::check_hdf5(H5Dread(dataset, memory_type(coding->stored), H5S_ALL, H5S_ALL, H5P_DEFAULT, stored.data()), "",
                      "cannot be read", ErrorKind::data);
  std::vector<double> values(count);
  decode(*coding, stored, std::as_writable_bytes(std::span(values)));
  return values;
}

}  // namespace weft::reading
