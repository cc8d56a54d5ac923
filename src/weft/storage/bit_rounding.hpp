// weft/storage/bit_rounding.hpp - floating-point numbers rounded to fewer bits, so that they compress better.
//
// The last bits of a computed value are noise, and noise does not compress. "bitround:N" keeps N explicit bits of each
// mantissa, rounded to the nearest, ties to even; the relative error is at most 2^-(N+1). It is no filter of HDF5's:
// the values are other ones, and every reader reads them as they are. Not-a-numbers, infinities, and what would become
// one, stay.
//
// Klöwer et al., "Compressing atmospheric data into its real information content", Nature Computational Science 1,
// 2021.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "weft/support/data_type.hpp"

#pragma GCC visibility push(default)

namespace weft::storage {

// The attribute that netCDF gives to such a variable.
inline constexpr const char* kKeptBits = "_QuantizeBitRoundNumberOfSignificantBits";

struct Rounding {
  unsigned kept_bits = 0;  // 0: none
  std::string filters;     // what else is done to a chunk
};

// "bitround:10+shuffle+deflate" is 10 bits, and "shuffle+deflate". Throws Error(usage) for numbers of bits that the
// type has not, for whole numbers, and where nothing is to be compressed.
Rounding parse_rounding(std::string_view filters, DataType type);

// Rounds the values in place.
void round_bits(std::span<std::byte> values, DataType type, unsigned kept_bits);

// 2^-(kept_bits + 1).
double largest_relative_error(unsigned kept_bits);

}  // namespace weft::storage

#pragma GCC visibility pop
