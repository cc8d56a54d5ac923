#include "weft/storage/bit_rounding.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>

#include "weft/support/error.hpp"

namespace weft::storage {

namespace {

constexpr std::string_view kWord = "bitround";
constexpr unsigned kDoubleBits = 52;
constexpr unsigned kFloatBits = 23;

template <typename Word>
void round_words(std::span<std::byte> values, unsigned mantissa_bits, unsigned kept_bits) {
  const unsigned cut = mantissa_bits - kept_bits;
  if (cut == 0) return;
  constexpr unsigned kWidth = 8 * sizeof(Word);
  const Word exponent = ((Word{1} << (kWidth - 1 - mantissa_bits)) - 1) << mantissa_bits;  // all ones: no number
  const Word below_half = (Word{1} << (cut - 1)) - 1;
  const Word kept = ~Word{0} << cut;
  for (std::size_t at = 0; at + sizeof(Word) <= values.size(); at += sizeof(Word)) {
    Word word = 0;
    std::memcpy(&word, values.data() + at, sizeof word);
    if ((word & exponent) == exponent) continue;
    const Word rounded = (word + below_half + ((word >> cut) & 1U)) & kept;
    if ((rounded & exponent) == exponent) continue;
    std::memcpy(values.data() + at, &rounded, sizeof rounded);
  }
}

}  // namespace

Rounding parse_rounding(std::string_view filters, DataType type) {
  if (!filters.starts_with(kWord)) return {0, std::string(filters)};
  const auto bad = [&](const std::string& what, const std::string& remedy) {
    return Error(ErrorKind::usage, fmt::format("filter '{}'", filters), what, remedy);
  };
  const bool is_double = type == DataType::float64;
  if (!is_double && type != DataType::float32) {
    throw bad("rounds floating-point numbers, and these are " + std::string(name_of(type)), "leave bitround out");
  }
  const unsigned most = is_double ? kDoubleBits : kFloatBits;
  std::string_view rest = filters.substr(kWord.size());
  unsigned bits = 0;
  if (rest.starts_with(':')) {
    const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), bits);
    rest =
        error == std::errc() ? std::string_view(end, static_cast<std::size_t>(rest.data() + rest.size() - end)) : "?";
  }
  if (bits < 1 || bits > most || (!rest.empty() && rest[0] != '+')) {
    throw bad("does not say how many bits are kept", fmt::format("bitround:N, with N from 1 to {}", most));
  }
  if (rest.size() < 2) throw bad("rounds, and compresses nothing", fmt::format("bitround:{}+shuffle+deflate", bits));
  return {bits, std::string(rest.substr(1))};
}

void round_bits(std::span<std::byte> values, DataType type, unsigned kept_bits) {
  if (type == DataType::float64) round_words<std::uint64_t>(values, kDoubleBits, kept_bits);
  if (type == DataType::float32) round_words<std::uint32_t>(values, kFloatBits, kept_bits);
}

double largest_relative_error(unsigned kept_bits) { return std::ldexp(1.0, -static_cast<int>(kept_bits) - 1); }

}  // namespace weft::storage
