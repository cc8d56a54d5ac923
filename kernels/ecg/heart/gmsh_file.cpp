#include "kernels/ecg/heart/gmsh_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <span>

namespace weft::kernels::ecg {

namespace {

constexpr std::uint64_t kTextPiece = std::uint64_t{1} << 20;

bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// A word as an error can show it.
std::string shown(const std::string& word) {
  constexpr std::size_t kLongestShown = 40;
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c <= '~'; });
  return plain && word.size() <= kLongestShown ? word : "bytes that are not text";
}

}  // namespace

GmshFile::GmshFile(const std::string& path)
    : store_(storage::open_store(path, storage::OpenMode::read)), bytes_(store_->size()) {}

Error GmshFile::bad(const std::string& what, std::string_view remedy) const {
  const std::string place =
      numbers_ == Numbers::text ? fmt::format("line {}", line_of_word_) : fmt::format("byte {}", piece_begins_ + at_);
  return {ErrorKind::data, store_->name(), fmt::format("{} ({}, {})", what, section_, place), remedy};
}

int GmshFile::next() {
  if (at_ == piece_.size()) {
    piece_begins_ += piece_.size();
    at_ = 0;
    piece_.resize(static_cast<std::size_t>(std::min(kTextPiece, bytes_ - piece_begins_)));
    if (piece_.empty()) return kEnd;
    store_->read_at(piece_begins_, std::as_writable_bytes(std::span(piece_)));
  }
  const char c = piece_[at_++];
  line_ += c == '\n' ? 1 : 0;
  return static_cast<unsigned char>(c);
}

void GmshFile::take_word(bool zero_is_space) {
  const auto ends_word = [&](int c) { return is_space(c) || (zero_is_space && c == 0); };
  word_.clear();
  int c = next();
  while (ends_word(c)) c = next();
  line_of_word_ = line_;
  if (c == kEnd) throw bad("ends too early", "copy it again, or write the mesh again");
  for (; c != kEnd && !ends_word(c); c = next()) {
    if (word_.size() == kLongestWord) throw bad(fmt::format("has a word of more than {} characters", kLongestWord));
    word_.push_back(static_cast<char>(c));
  }
}

std::string_view GmshFile::word() {
  take_word(true);
  return word_;
}

std::string_view GmshFile::rest_of_line() {
  word_.clear();
  line_of_word_ = line_;
  for (int c = next(); c != kEnd && c != '\n'; c = next()) {
    if (word_.size() == kLongestWord) throw bad(fmt::format("has a line of more than {} characters", kLongestWord));
    word_.push_back(static_cast<char>(c));
  }
  return word_;
}

std::int32_t GmshFile::word_as_integer(std::int32_t least) const {
  std::int32_t value = 0;
  const char* const end = word_.data() + word_.size();
  const auto [at, code] = std::from_chars(word_.data(), end, value);
  if (code != std::errc() || at != end || value < least) {
    throw bad(fmt::format("has {} where a whole number of {} to 2147483647 should be", shown(word_), least));
  }
  return value;
}

std::int32_t GmshFile::text_integer() {
  take_word(true);
  return word_as_integer(std::numeric_limits<std::int32_t>::min());
}

template <typename T>
T GmshFile::from_bytes() {
  std::array<unsigned char, sizeof(T)> bytes{};
  for (unsigned char& byte : bytes) {
    const int c = next();
    if (c == kEnd) throw bad("ends too early", "copy it again, or write the mesh again");
    byte = static_cast<unsigned char>(c);
  }
  if (numbers_ == Numbers::swapped_bytes) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

std::int32_t GmshFile::integer() {
  if (numbers_ != Numbers::text) return from_bytes<std::int32_t>();
  take_word(false);
  return word_as_integer(std::numeric_limits<std::int32_t>::min());
}

std::int32_t GmshFile::size(int bytes) {
  if (numbers_ == Numbers::text) {
    take_word(false);
    return word_as_integer(0);
  }
  const std::int64_t value = bytes == 4 ? from_bytes<std::int32_t>() : from_bytes<std::int64_t>();
  if (value < 0 || value > std::numeric_limits<std::int32_t>::max()) {
    throw bad(fmt::format("has {} where a whole number of 0 to 2147483647 should be", value));
  }
  return static_cast<std::int32_t>(value);
}

double GmshFile::real() {
  double value = 0;
  bool whole = true;
  if (numbers_ == Numbers::text) {
    take_word(false);
    char* end = nullptr;
    value = std::strtod(word_.c_str(), &end);
    whole = end == word_.c_str() + word_.size();
  } else {
    value = from_bytes<double>();
  }
  if (!whole) throw bad(fmt::format("has {} where a number should be", shown(word_)));
  return value;
}

}  // namespace weft::kernels::ecg
