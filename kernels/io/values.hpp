// kernels/io/values.hpp - random values that anybody can make again: value number `index` of a stream, whoever asks.
//
// The bits are those of splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014):
// its state after `index + 1` steps from a start that seed and stream give. So a value depends on where it belongs and
// not on the rank that makes it, and a test in any language makes the same file.
#pragma once

#include <cstdint>

namespace weft::kernels {

inline constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15;

constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// 64 random bits.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return mixed(mixed(seed + kGoldenGamma * (stream + 1)) + kGoldenGamma * (index + 1));
}

// From [0, 1): the upper 53 bits, or 24, as a fraction. Exact in either type.
constexpr double random_double(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return static_cast<double>(random_bits(seed, stream, index) >> 11) * 0x1p-53;
}
constexpr float random_float(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return static_cast<float>(random_bits(seed, stream, index) >> 40) * 0x1p-24F;
}

}  // namespace weft::kernels
