// weft/reduce/as_double.hpp - values of any type of Weft's as doubles, which all quantities are computed in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "weft/support/data_type.hpp"

namespace weft::reduce {

// Fills `values` with every `stride`th of the values in `bytes`, from number `first` on. int64 above 2^53 is rounded.
void pick_as_double(DataType type, std::span<const std::byte> bytes, std::uint64_t stride, std::uint64_t first,
                    std::span<double> values);

}  // namespace weft::reduce
