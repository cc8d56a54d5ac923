// weft/reading/value_coding.hpp - what the numbers of a dataset stand for.
//
// Weft computes with five types (support/data_type.hpp). A dataset of another type is read as the one of them that
// holds all its numbers. A dataset that is packed by CF's attributes is unpacked:
//
//   value = stored * scale_factor + add_offset, and NaN where stored is _FillValue or one of missing_value
//
// (CF Conventions 1.11, sections 2.5.1 and 8.1: https://cfconventions.org). As CF says, the values have the type of
// scale_factor and add_offset; without these, integers with a fill value become float32 where that holds them all
// (16 bits or fewer), else float64, as xarray has it. A fill value that the type cannot hold marks nothing.
//
// netCDF's _Unsigned = "true" on signed integers says that their bits mean unsigned ones, "false" the opposite
// (NetCDF Users Guide, appendix "Attribute Conventions").
//
// Worked: int16 with scale_factor 0.01 (double), add_offset 273.15 and _FillValue -32768 are float64; 1000 is 283.15.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "weft/support/data_type.hpp"

#pragma GCC visibility push(default)

namespace weft::reading {

// A number as it is stored, in this machine's byte order.
enum class StoredType : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

std::uint64_t size_of(StoredType type);
// As HDF5 hands it over.
hid_t memory_type(StoredType type);

struct ValueCoding {
  StoredType stored = StoredType::float64;
  StoredType meant = StoredType::float64;  // what its bits stand for: stored, or the same size with the other sign
  DataType type = DataType::float64;       // of the values
  double scale = 1;
  double offset = 0;
  // Stored numbers that are no values: of integers as their 64 bits, of floating-point numbers as a double's.
  std::vector<std::uint64_t> missing{};

  static ValueCoding plain(StoredType stored);  // the values are the numbers

  bool packed() const { return scale != 1 || offset != 0 || !missing.empty(); }
  // Whether the bytes that are stored are those of the values.
  bool is_identity() const;
  bool operator==(const ValueCoding&) const = default;
};

// Of an open dataset, by its type and attributes; nothing where it holds no numbers, or some that Weft has no type for.
std::optional<ValueCoding> coding_of(hid_t dataset);

// values[i] of stored[i]; both row-major, one number behind the other. Pure. Throws Error(data), without a place, where
// a uint64 is above 2^63 - 1 and is not unpacked.
void decode(const ValueCoding& coding, std::span<const std::byte> stored, std::span<std::byte> values);

// All values of an open dataset, as doubles: of times and coordinates, which are packed like any others. Nothing where
// it holds no numbers. Throws Error(data), without a place, where it cannot be read. Not collective.
std::optional<std::vector<double>> all_values(hid_t dataset);

}  // namespace weft::reading

#pragma GCC visibility pop
