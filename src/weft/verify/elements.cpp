#include "weft/verify/elements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "weft/survey/selection_text.hpp"

namespace weft::verify {

namespace {

using storage::Handle;

constexpr std::size_t kMostText = 120;
constexpr std::size_t kMostListed = 8;  // elements of a list that are told

std::string shorten(std::string text) {
  if (text.size() > kMostText) text.replace(kMostText - 3, std::string::npos, "...");
  return text;
}

}  // namespace

std::string ReferenceNames::of(H5R_type_t kind, const std::byte* reference) const {
  const std::size_t length = kind == H5R_OBJECT ? sizeof(hobj_ref_t) : sizeof(hdset_reg_ref_t);
  const std::string key(reinterpret_cast<const char*>(reference), length);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_[key] = find(kind, reference);
}

std::string ReferenceNames::find(H5R_type_t kind, const std::byte* reference) const {
  const std::size_t length = kind == H5R_OBJECT ? sizeof(hobj_ref_t) : sizeof(hdset_reg_ref_t);
  if (std::all_of(reference, reference + length, [](std::byte b) { return b == std::byte{}; })) return "nothing";
  const storage::QuietHdf5 quiet;
  const Handle object(H5Rdereference2(file_, H5P_DEFAULT, kind, reference));
  if (!object.valid()) return "(gone)";
  std::string name = walk_.name_at(survey::address_of(object));
  if (name.empty()) name = "(without a name)";
  if (kind == H5R_OBJECT) return name;
  const Handle space(H5Rget_region(file_, kind, reference));
  return space.valid() ? name + " " + survey::selection_text(space) : name + " (no region)";
}

Handle ElementType::in_memory(hid_t file_type) {
  Handle type(storage::check_hdf5(H5Tcopy(file_type), "", "a type cannot be copied", ErrorKind::data));
  if (H5Tdetect_class(type, H5T_COMPOUND) > 0) H5Tpack(type);  // where it cannot, members are compared one by one
  return type;
}

ElementType::ElementType(hid_t memory_type)
    : type_(H5Tcopy(memory_type)), class_(H5Tget_class(memory_type)), bytes_(H5Tget_size(memory_type)) {
  if (class_ == H5T_COMPOUND) {
    std::size_t used = 0;
    for (int i = 0; i < H5Tget_nmembers(memory_type); ++i) {
      const auto member = static_cast<unsigned>(i);
      parts_.emplace_back(Handle(H5Tget_member_type(memory_type, member)));
      offsets_.push_back(H5Tget_member_offset(memory_type, member));
      used += parts_.back().bytes_;
      plain_ = plain_ && parts_.back().plain_;
    }
    plain_ = plain_ && used == bytes_;  // no padding
  } else if (class_ == H5T_ARRAY || class_ == H5T_VLEN) {
    parts_.emplace_back(Handle(H5Tget_super(memory_type)));
    plain_ = class_ == H5T_ARRAY && parts_[0].plain_;
    count_ = bytes_ / std::max<std::size_t>(1, parts_[0].bytes_);
  } else if (class_ == H5T_STRING) {
    variable_text_ = H5Tis_variable_str(memory_type) > 0;
    plain_ = !variable_text_;
  } else if (class_ == H5T_REFERENCE) {
    reference_ = H5Tequal(memory_type, H5T_STD_REF_DSETREG) > 0 ? H5R_DATASET_REGION : H5R_OBJECT;
    plain_ = false;
  }
}

bool ElementType::same(const std::byte* left, const ReferenceNames& left_names, const std::byte* right,
                       const ReferenceNames& right_names) const {
  if (plain_) return std::memcmp(left, right, bytes_) == 0;
  if (class_ == H5T_COMPOUND) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (!parts_[i].same(left + offsets_[i], left_names, right + offsets_[i], right_names)) return false;
    }
    return true;
  }
  if (class_ == H5T_REFERENCE) return left_names.of(reference_, left) == right_names.of(reference_, right);
  if (variable_text_) {
    const char* texts[2] = {nullptr, nullptr};
    std::memcpy(&texts[0], left, sizeof(char*));
    std::memcpy(&texts[1], right, sizeof(char*));
    // HDF5 keeps no difference between an empty text and none.
    return std::strcmp(texts[0] == nullptr ? "" : texts[0], texts[1] == nullptr ? "" : texts[1]) == 0;
  }
  std::size_t count = count_;
  if (class_ == H5T_VLEN) {
    hvl_t lists[2];
    std::memcpy(&lists[0], left, sizeof(hvl_t));
    std::memcpy(&lists[1], right, sizeof(hvl_t));
    if (lists[0].len != lists[1].len) return false;
    count = lists[0].len;
    left = static_cast<const std::byte*>(lists[0].p);
    right = static_cast<const std::byte*>(lists[1].p);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!parts_[0].same(left + i * parts_[0].bytes_, left_names, right + i * parts_[0].bytes_, right_names)) {
      return false;
    }
  }
  return true;
}

std::string ElementType::text(const std::byte* element, const ReferenceNames& names) const {
  return shorten(words(element, names));
}

std::string ElementType::words(const std::byte* element, const ReferenceNames& names) const {
  std::vector<std::string> inner;
  switch (class_) {
    case H5T_INTEGER:
    case H5T_FLOAT:
    case H5T_ENUM: return number(element);
    case H5T_REFERENCE: return names.of(reference_, element);
    case H5T_STRING: {
      const char* text = reinterpret_cast<const char*>(element);
      std::size_t most = bytes_;
      if (variable_text_) {
        std::memcpy(&text, element, sizeof text);
        most = text == nullptr ? 0 : std::strlen(text);
      }
      return fmt::format("'{}'", std::string(text == nullptr ? "" : text, strnlen(text == nullptr ? "" : text, most)));
    }
    case H5T_COMPOUND:
      for (std::size_t i = 0; i < parts_.size(); ++i) inner.push_back(parts_[i].words(element + offsets_[i], names));
      return fmt::format("{{{}}}", fmt::join(inner, ", "));
    case H5T_ARRAY:
    case H5T_VLEN: {
      std::size_t count = count_;
      if (class_ == H5T_VLEN) {
        hvl_t list;
        std::memcpy(&list, element, sizeof list);
        count = list.len;
        element = static_cast<const std::byte*>(list.p);
      }
      for (std::size_t i = 0; i < std::min(count, kMostListed); ++i) {
        inner.push_back(parts_[0].words(element + i * parts_[0].bytes_, names));
      }
      if (count > kMostListed) inner.push_back(fmt::format("... {} in all", count));
      return fmt::format("[{}]", fmt::join(inner, ", "));
    }
    default: {
      std::string digits = "0x";
      for (std::size_t i = 0; i < std::min(bytes_, kMostText); ++i) {
        digits += fmt::format("{:02x}", std::to_integer<unsigned>(element[i]));
      }
      return digits;
    }
  }
}

// The shortest digits that read back as the same number; its bits too where those digits do not tell it from others.
std::string ElementType::number(const std::byte* element) const {
  const bool floating = class_ == H5T_FLOAT;
  const bool with_sign = class_ != H5T_INTEGER || H5Tget_sign(type_) == H5T_SGN_2;
  std::vector<std::byte> value(std::max<std::size_t>(bytes_, 2 * sizeof(double)));
  std::copy(element, element + bytes_, value.begin());
  const hid_t wide = floating ? (bytes_ <= 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE)
                              : (with_sign ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64);
  if (H5Tconvert(type_, wide, 1, value.data(), nullptr, H5P_DEFAULT) < 0) return "(no number)";
  const auto as = [&]<typename T>(T number) {
    std::memcpy(&number, value.data(), sizeof number);
    return fmt::format("{}", number);
  };
  if (!floating) return with_sign ? as(std::int64_t{}) : as(std::uint64_t{});
  std::string digits = bytes_ <= 4 ? as(float{}) : as(double{});
  if (digits.find("nan") == std::string::npos) return digits;
  std::string bits;
  const bool big = H5Tget_order(type_) == H5T_ORDER_BE;
  for (std::size_t i = 0; i < bytes_; ++i) {
    bits += fmt::format("{:02x}", std::to_integer<unsigned>(element[big ? i : bytes_ - 1 - i]));
  }
  return fmt::format("{} (0x{})", digits, bits);
}

}  // namespace weft::verify
