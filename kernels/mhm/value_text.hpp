// kernels/mhm/value_text.hpp - a value as printf's "%12.5e\n" writes it, several times as fast and to the byte.
//
// The digits are those of the value's exact decimal expansion, rounded half to even, as the C library has them. From
// 1e-21 to 1e5 that is a division of integers of 117 bits; elsewhere std::to_chars does it.
#pragma once

#include <cstddef>

namespace weft::kernels::mhm {

inline constexpr std::size_t kMostValueText = 24;

// Writes 13 characters (more where the value has a sign and an exponent of three digits) and returns their end.
char* write_value(char* out, double value);

}  // namespace weft::kernels::mhm
