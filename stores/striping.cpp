#include "stores/striping.hpp"

#include <sys/xattr.h>

#include <array>
#include <charconv>
#include <cstring>

namespace weft::stores {

namespace {

// "stripe_unit=4194304 stripe_count=1 object_size=4194304 pool=data"
std::uint64_t number_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  std::uint64_t value = 0;
  if (at != std::string_view::npos) std::from_chars(text.data() + at + key.size(), text.data() + text.size(), value);
  return value;
}

// A little-endian number inside `bytes`.
template <typename Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

Striping striping_in(const std::string& attribute, std::string_view bytes) {
  if (attribute == "ceph.file.layout") {
    return {number_behind(bytes, "stripe_unit="), number_behind(bytes, "stripe_count="), attribute};
  }
  // lov_user_md_v1 and v3 begin alike: magic, pattern, object id (16 bytes), stripe size, stripe count.
  constexpr std::uint32_t kMagic1 = 0x0BD10BD0;
  constexpr std::uint32_t kMagic3 = 0x0BD30BD0;
  constexpr std::size_t kSizeAt = 24;
  if (attribute == "lustre.lov" && bytes.size() >= kSizeAt + 6) {
    const auto magic = number_at<std::uint32_t>(bytes, 0);
    if (magic != kMagic1 && magic != kMagic3) return {};  // of files in several parts: no single answer
    return {number_at<std::uint32_t>(bytes, kSizeAt), number_at<std::uint16_t>(bytes, kSizeAt + 4), attribute};
  }
  return {};
}

Striping striping_of(const std::string& path) {
  for (const char* attribute : {"lustre.lov", "ceph.file.layout"}) {
    std::array<char, 4096> bytes{};
    const ssize_t length = ::getxattr(path.c_str(), attribute, bytes.data(), bytes.size());
    if (length > 0) return striping_in(attribute, {bytes.data(), static_cast<std::size_t>(length)});
  }
  return {};
}

}  // namespace weft::stores
