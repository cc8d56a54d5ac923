// kernels/io/extent.hpp - three numbers along x, y and z, as `--grid 202x125x106` says them. x comes first, here and in
// files.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "weft/support/shape.hpp"

namespace weft::kernels {

using Extent = std::array<std::uint64_t, 3>;

// Throws Error(usage) naming the option where the text is not three numbers of at least 1, or their product passes
// 2^63 - 1.
Extent parse_extent(std::string_view option, const std::string& text);

// {202, 125, 106} -> "202x125x106".
using weft::to_string;  // of a Shape, which the next would hide
std::string to_string(const Extent& extent);

// {202, 125, 106} -> 2,676,500.
constexpr std::uint64_t volume(const Extent& extent) { return extent[0] * extent[1] * extent[2]; }

}  // namespace weft::kernels
