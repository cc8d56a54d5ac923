#include "weft/refs/kerchunk_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "weft/refs/zarr_codecs.hpp"

namespace weft::refs {

namespace {

using nlohmann::json;

// Names of datasets and texts of attributes are bytes: what is no UTF-8 among them is shown as such.
std::string json_text(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

// "<f8" -> 8.
std::uint64_t bytes_of(const std::string& dtype) {
  std::uint64_t bytes = 0;
  std::from_chars(dtype.data() + std::min<std::size_t>(2, dtype.size()), dtype.data() + dtype.size(), bytes);
  return bytes;
}

// A list of a million chunks is written as it goes, as a tree of JSON values it would take several times its length.
class KerchunkText {
 public:
  explicit KerchunkText(const std::string& url) : url_(json_text(url)) {}

  void group(const GroupReferences& group) {
    const std::string folder = group.path == "/" ? "" : group.path.substr(1) + "/";
    metadata(folder + ".zgroup", {{"zarr_format", 2}});
    if (!group.attributes.empty()) metadata(folder + ".zattrs", group.attributes);
  }

  void array(const ArrayReferences& array) {
    const std::string folder = array.path.substr(1) + "/";
    metadata(folder + ".zarray", zarray_of(array));
    metadata(folder + ".zattrs", array.attributes);
    if (array.values) {
      entry(folder + chunk_key(array, 0), json_text("base64:" + base64(*array.values)));
      return;
    }
    for (const ChunkReference& chunk : array.chunks) {
      entry(folder + chunk_key(array, chunk.number), fmt::format("[{},{},{}]", url_, chunk.at, chunk.bytes));
    }
  }

  std::string take() && { return std::move(text_) + "\n}}\n"; }

 private:
  void metadata(const std::string& key, const json& value) { entry(key, json_text(json_text(value))); }

  void entry(const std::string& key, const std::string& value) {
    text_ += fmt::format("{}\n{}:{}", first_ ? "" : ",", json_text(key), value);
    first_ = false;
  }

  std::string url_;
  std::string text_ = R"({"version":1,"refs":{)";
  bool first_ = true;
};

}  // namespace

std::uint64_t ArrayReferences::grid_chunks() const {
  std::uint64_t count = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) count *= ceil_div(shape[axis], chunk[axis]);
  return count;
}

std::uint64_t References::chunks() const {
  std::uint64_t count = 0;
  for (const ArrayReferences& array : arrays) count += array.chunks.size();
  return count;
}

json zarray_of(const ArrayReferences& array) {
  return {{"zarr_format", 2},
          {"shape", array.shape},
          {"chunks", array.chunk},
          {"dtype", array.dtype},
          {"order", "C"},
          {"compressor", nullptr},
          {"filters", codecs_of(array.filters, bytes_of(array.dtype))},
          {"fill_value", array.fill}};
}

std::string chunk_key(const ArrayReferences& array, std::uint64_t number) {
  if (array.shape.empty()) return "0";
  Shape place(array.shape.size());
  for (std::size_t axis = array.shape.size(); axis-- > 0;) {
    const std::uint64_t count = std::max<std::uint64_t>(1, ceil_div(array.shape[axis], array.chunk[axis]));
    place[axis] = number % count;
    number /= count;
  }
  return fmt::format("{}", fmt::join(place, "."));
}

std::string base64(const std::vector<std::byte>& bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j)
      three = three << 8 | (j < left ? std::to_integer<std::uint32_t>(bytes[i + j]) : 0);
    for (std::size_t j = 0; j < 4; ++j) text += j <= left ? kLetters[three >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

std::string kerchunk_text(const References& references, const std::string& url) {
  KerchunkText text(url);
  for (const GroupReferences& group : references.groups) text.group(group);
  for (const ArrayReferences& array : references.arrays) text.array(array);
  return std::move(text).take();
}

}  // namespace weft::refs
