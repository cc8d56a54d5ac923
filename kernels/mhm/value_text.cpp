#include "kernels/mhm/value_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace weft::kernels::mhm {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::ptrdiff_t kWidth = 12;
constexpr int kPlaces = 5;

// 5^0 to 5^27, the last that fits.
constexpr auto kPowersOfFive = [] {
  std::array<std::uint64_t, 28> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = 5 * powers[i - 1];
  return powers;
}();

// m 2^e rounded half to even to a multiple of 10^(ten - 5), counted in these. `ten` is from -22 to 5.
std::uint64_t digits_of(std::uint64_t m, int e, int ten) {
  const int q = kPlaces - ten;  // 10^q = 5^q 2^q, and m 5^q has 53 + 63 bits at most
  const Wide product = Wide{m} * kPowersOfFive[static_cast<std::size_t>(q)];
  const int shift = -(e + q);  // there are at most 20 bits of digits, so it is above 0
  const auto whole = static_cast<std::uint64_t>(product >> shift);
  const Wide rest = product & ((Wide{1} << shift) - 1);
  const Wide half = Wide{1} << (shift - 1);
  return whole + (rest > half || (rest == half && whole % 2 == 1) ? 1 : 0);
}

char* write_anyhow(char* out, double value) {
  std::array<char, kMostValueText> text;
  const char* const end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, kPlaces).ptr;
  const std::ptrdiff_t length = end - text.data();
  const std::ptrdiff_t blanks = std::max<std::ptrdiff_t>(kWidth - length, 0);
  std::memset(out, ' ', static_cast<std::size_t>(blanks));
  std::memcpy(out + blanks, text.data(), static_cast<std::size_t>(length));
  out += blanks + length;
  *out++ = '\n';
  return out;
}

}  // namespace

char* write_value(char* out, double value) {
  const double size = std::abs(value);
  if (!(size >= 1e-21 && size < 1e5)) return write_anyhow(out, value);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &size, sizeof(bits));
  const std::uint64_t m = (bits & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1} << 52);
  const int two = static_cast<int>(bits >> 52) - 1023;  // 2^two <= size < 2^(two + 1)
  int ten = two * 1233 >> 12;                           // floor(two log10(2)): the exponent, or one less
  std::uint64_t digits = digits_of(m, two - 52, ten);
  if (digits >= 1'000'000) digits = digits_of(m, two - 52, ++ten);

  out[0] = std::signbit(value) ? '-' : ' ';
  for (std::size_t place = 7; place > 2; --place) {
    out[place] = static_cast<char>('0' + digits % 10);
    digits /= 10;
  }
  out[2] = '.';
  out[1] = static_cast<char>('0' + digits);
  const int size_of_ten = std::abs(ten);
  out[8] = 'e';
  out[9] = ten < 0 ? '-' : '+';
  out[10] = static_cast<char>('0' + size_of_ten / 10);
  out[11] = static_cast<char>('0' + size_of_ten % 10);
  out[12] = '\n';
  return out + kWidth + 1;
}

}  // namespace weft::kernels::mhm
