#include "weft/survey/type_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "weft/storage/hdf5_handle.hpp"

namespace weft::survey {

namespace {

using storage::Handle;

std::string take_text(char* text) {
  std::string result = text == nullptr ? "" : text;
  H5free_memory(text);
  return result;
}

class Words {
 public:
  explicit Words(TypeDetail detail) : stored_(detail == TypeDetail::storage) {}

  std::string of(hid_t type) const {
    switch (H5Tget_class(type)) {
      case H5T_INTEGER: return (H5Tget_sign(type) == H5T_SGN_NONE ? "uint" : "int") + width(type) + order(type);
      case H5T_FLOAT: return floating(type) + order(type);
      case H5T_STRING: return text(type);
      case H5T_BITFIELD: return "bits" + width(type) + order(type);
      case H5T_OPAQUE: return fmt::format("opaque of {} bytes '{}'", H5Tget_size(type), take_text(H5Tget_tag(type)));
      case H5T_COMPOUND: return compound(type);
      case H5T_REFERENCE:
        return H5Tequal(type, H5T_STD_REF_DSETREG) > 0 ? "reference to a region" : "reference to an object";
      case H5T_ENUM: return enumeration(type);
      case H5T_VLEN: return "lists of " + of(Handle(H5Tget_super(type)));
      case H5T_ARRAY: return array(type);
      default:
        return fmt::format("type of class {}, {} bytes", static_cast<int>(H5Tget_class(type)), H5Tget_size(type));
    }
  }

 private:
  std::string order(hid_t type) const {
    if (!stored_ || H5Tget_size(type) == 1) return {};
    switch (H5Tget_order(type)) {
      case H5T_ORDER_BE: return ", big-endian";
      case H5T_ORDER_VAX: return ", VAX";
      default: return {};
    }
  }

  // "32", or "32 (24 bits from 4)" where not all of them are used.
  static std::string width(hid_t type) {
    const std::size_t bits = 8 * H5Tget_size(type);
    const std::size_t used = H5Tget_precision(type);
    const int offset = H5Tget_offset(type);
    return used == bits && offset == 0 ? fmt::format("{}", bits)
                                       : fmt::format("{} ({} bits from {})", bits, used, offset);
  }

  static std::string floating(hid_t type) {
    std::array<std::size_t, 5> fields{};  // sign, exponent and its length, mantissa and its length
    H5Tget_fields(type, fields.data(), &fields[1], &fields[2], &fields[3], &fields[4]);
    const std::size_t bias = H5Tget_ebias(type);
    using Fields = std::array<std::size_t, 5>;
    const bool is_ieee = (fields == Fields{15, 10, 5, 0, 10} && bias == 15) ||
                         (fields == Fields{31, 23, 8, 0, 23} && bias == 127) ||
                         (fields == Fields{63, 52, 11, 0, 52} && bias == 1023);
    if (is_ieee) return "float" + width(type);
    return fmt::format("float{} (fields {}, bias {})", width(type), fmt::join(fields, " "), bias);
  }

  static std::string text(hid_t type) {
    std::string letters = H5Tget_cset(type) == H5T_CSET_UTF8 ? "UTF-8 text" : "text";
    if (H5Tis_variable_str(type) > 0) return letters;
    constexpr std::array<std::string_view, 3> kPadding{"null-terminated", "null-padded", "space-padded"};
    const auto padding = static_cast<std::size_t>(H5Tget_strpad(type));
    return fmt::format("{} of {} bytes, {}", letters, H5Tget_size(type),
                       padding < kPadding.size() ? kPadding.at(padding) : "padded");
  }

  std::string compound(hid_t type) const {
    std::vector<std::string> members;
    const int count = H5Tget_nmembers(type);
    for (int i = 0; i < count; ++i) {
      const auto number = static_cast<unsigned>(i);
      const Handle member(H5Tget_member_type(type, number));
      std::string words = fmt::format("{}: {}", take_text(H5Tget_member_name(type, number)), of(member));
      if (stored_) words += fmt::format(" at {}", H5Tget_member_offset(type, number));
      members.push_back(std::move(words));
    }
    return fmt::format("compound {}{{{}}}", stored_ ? fmt::format("of {} bytes ", H5Tget_size(type)) : "",
                       fmt::join(members, ", "));
  }

  std::string enumeration(hid_t type) const {
    const Handle base(H5Tget_super(type));
    std::vector<std::pair<std::string, std::string>> members;  // value in hexadecimal, name
    const int count = H5Tget_nmembers(type);
    for (int i = 0; i < count; ++i) {
      const auto number = static_cast<unsigned>(i);
      std::vector<unsigned char> value(H5Tget_size(type));
      H5Tget_member_value(type, number, value.data());
      if (H5Tget_order(base) != H5T_ORDER_BE) std::reverse(value.begin(), value.end());
      members.emplace_back(fmt::format("{:02x}", fmt::join(value, "")), take_text(H5Tget_member_name(type, number)));
    }
    std::sort(members.begin(), members.end());  // the order in which they were declared means nothing
    std::vector<std::string> words;
    words.reserve(members.size());
    for (const auto& [value, name] : members) words.push_back(fmt::format("{} = 0x{}", name, value));
    return fmt::format("enumeration of {} {{{}}}", of(base), fmt::join(words, ", "));
  }

  std::string array(hid_t type) const {
    std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(0, H5Tget_array_ndims(type))));
    H5Tget_array_dims2(type, extents.data());
    return fmt::format("{} of {}", fmt::join(extents, "x"), of(Handle(H5Tget_super(type))));
  }

  bool stored_;
};

}  // namespace

std::string type_text(hid_t type, TypeDetail detail) { return Words(detail).of(type); }

}  // namespace weft::survey
