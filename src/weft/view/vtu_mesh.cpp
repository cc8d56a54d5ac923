#include "weft/view/vtu_mesh.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <functional>
#include <optional>
#include <pugixml.hpp>
#include <string_view>

#include "weft/storage/byte_store.hpp"
#include "weft/support/error.hpp"

namespace weft::view {

namespace {

using Buffer = std::vector<unsigned char>;

// The part of `text` that is base64, decoded; stops at padding or at the first character that is none.
Buffer from_base64(std::string_view text) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  Buffer bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int have = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    have += 6;
    if (have < 8) continue;
    have -= 8;
    bytes.push_back(static_cast<unsigned char>(bits >> have & 0xff));
  }
  return bytes;
}

std::size_t base64_length(std::size_t bytes) { return (bytes + 2) / 3 * 4; }

struct NumberType {
  std::string_view name;
  std::size_t bytes;
  bool floating;
  bool is_signed;
};
constexpr std::array<NumberType, 10> kNumberTypes{{{"Int8", 1, false, true},
                                                   {"UInt8", 1, false, false},
                                                   {"Int16", 2, false, true},
                                                   {"UInt16", 2, false, false},
                                                   {"Int32", 4, false, true},
                                                   {"UInt32", 4, false, false},
                                                   {"Int64", 8, false, true},
                                                   {"UInt64", 8, false, false},
                                                   {"Float32", 4, true, true},
                                                   {"Float64", 8, true, true}}};

class VtuFile {
 public:
  explicit VtuFile(const std::string& path) : path_(path) {
    const auto store = storage::open_store(path, storage::OpenMode::read);
    text_.resize(store->size());
    store->read_at(0, std::as_writable_bytes(std::span(text_)));
    // Raw appended data are no XML: what follows their underscore is cut off before the rest is parsed.
    std::string_view xml = text_;
    const std::size_t appended = xml.find("<AppendedData");
    std::string closed;
    if (appended != std::string_view::npos) {
      const std::size_t begin = xml.find('_', xml.find('>', appended));
      if (begin == std::string_view::npos) throw bad("its appended data have no start mark");
      appended_ = xml.substr(begin + 1);
      raw_ = xml.substr(appended, begin - appended).find("\"raw\"") != std::string_view::npos;
      closed = std::string(xml.substr(0, appended)) + "</VTKFile>";
      xml = closed;
    }
    const pugi::xml_parse_result parsed = document_.load_buffer(xml.data(), xml.size());
    if (!parsed) throw bad(fmt::format("is not XML: {}", parsed.description()));
    const pugi::xml_node root = document_.child("VTKFile");
    if (std::string_view(root.attribute("type").value()) != "UnstructuredGrid") {
      throw bad("is not a VTK file of an UnstructuredGrid");
    }
    const std::string_view compressor = root.attribute("compressor").value();
    compressed_ = !compressor.empty();
    if (compressed_ && compressor != "vtkZLibDataCompressor") {
      throw bad(fmt::format("is compressed by {}", compressor), "write it with zlib or without compression");
    }
    header_bytes_ = std::string_view(root.attribute("header_type").value()) == "UInt64" ? 8 : 4;
    const bool little = std::string_view(root.attribute("byte_order").value()) != "BigEndian";
    swap_ = little != (std::endian::native == std::endian::little);
  }

  Mesh mesh() const {
    Mesh mesh;
    mesh.cells.offsets.push_back(0);
    for (const pugi::xml_node piece : pieces()) add_piece(piece, mesh);
    if (mesh.points.empty()) throw bad("has no points");
    return mesh;
  }

  // The arrays of these names in every piece's `group` (PointData), whose tuples `count` (NumberOfPoints) counts.
  std::map<std::string, VtuArray> arrays(const char* group, const char* count,
                                         const std::vector<std::string>& names) const {
    std::map<std::string, VtuArray> found;
    for (const std::string& name : names) {
      std::optional<VtuArray> all;
      bool missing = false;
      for (const pugi::xml_node piece : pieces()) {
        const auto tuples = static_cast<std::size_t>(piece.attribute(count).as_ullong());
        if (tuples == 0) continue;
        const pugi::xml_node array = piece.child(group).find_child_by_attribute("DataArray", "Name", name.c_str());
        missing = missing || array.empty();
        if (!array.empty()) add_array(array, name, tuples, all);
      }
      if (all && missing) throw bad(fmt::format("array {} is missing in some of its pieces", name));
      if (all) found[name] = std::move(*all);
    }
    return found;
  }

 private:
  Error bad(const std::string& what, std::string_view remedy = "check that it is a whole .vtu file") const {
    return {ErrorKind::data, path_, what, remedy};
  }

  auto pieces() const -> decltype(pugi::xml_node().children("Piece")) {
    return document_.child("VTKFile").child("UnstructuredGrid").children("Piece");
  }

  void add_array(pugi::xml_node array, const std::string& name, std::size_t tuples,
                 std::optional<VtuArray>& all) const {
    const auto components = static_cast<std::size_t>(array.attribute("NumberOfComponents").as_ullong(1));
    const std::vector<double> values = numbers<double>(array);
    // Tuples are counted by division: a product of what the file says may overflow.
    if (components == 0 || values.size() % components != 0 || values.size() / components != tuples) {
      throw bad(fmt::format("array {} has {} values for {} times {}", name, values.size(), tuples, components));
    }
    if (!all) all = VtuArray{components, {}};
    if (all->components != components) throw bad(fmt::format("array {} has other components in other pieces", name));
    all->values.insert(all->values.end(), values.begin(), values.end());
  }

  void add_piece(pugi::xml_node piece, Mesh& mesh) const {
    const auto first_point = static_cast<std::int64_t>(mesh.points.size() / 3);
    const auto points = static_cast<std::int64_t>(piece.attribute("NumberOfPoints").as_llong());
    const auto cells = static_cast<std::size_t>(piece.attribute("NumberOfCells").as_llong());
    const std::vector<double> coordinates = numbers<double>(piece.child("Points").child("DataArray"));
    if (coordinates.size() != 3 * static_cast<std::size_t>(points)) {
      throw bad(fmt::format("has {} coordinates for {} points", coordinates.size(), points));
    }
    mesh.points.insert(mesh.points.end(), coordinates.begin(), coordinates.end());
    const pugi::xml_node arrays = piece.child("Cells");
    const auto named = [&](const char* name) { return arrays.find_child_by_attribute("DataArray", "Name", name); };
    const auto connectivity = numbers<std::int64_t>(named("connectivity"));
    const auto ends = numbers<std::int64_t>(named("offsets"));
    const auto types = numbers<std::uint8_t>(named("types"));
    if (ends.size() != cells || types.size() != cells) {
      throw bad(fmt::format("has {} offsets and {} types for {} cells", ends.size(), types.size(), cells));
    }
    const auto first_corner = static_cast<std::int64_t>(mesh.cells.connectivity.size());
    std::int64_t before = 0;
    for (std::size_t cell = 0; cell < cells; ++cell) {
      if (types[cell] == 42) throw bad("has polyhedra", "only cells that their points alone describe can be shown");
      if (ends[cell] < before || ends[cell] > static_cast<std::int64_t>(connectivity.size())) {
        throw bad(fmt::format("cell {} ends outside the connectivity", cell));
      }
      before = ends[cell];
      mesh.cells.offsets.push_back(first_corner + ends[cell]);
    }
    for (const std::int64_t point : connectivity) {
      if (point < 0 || point >= points) throw bad(fmt::format("a cell has point {} of {}", point, points));
      mesh.cells.connectivity.push_back(first_point + point);
    }
    mesh.cells.types.insert(mesh.cells.types.end(), types.begin(), types.end());
  }

  template <typename T>
  std::vector<T> numbers(pugi::xml_node array) const {
    const std::string_view name = array.attribute("type").value();
    const auto type =
        std::find_if(kNumberTypes.begin(), kNumberTypes.end(), [&](const auto& t) { return t.name == name; });
    if (type == kNumberTypes.end()) throw bad(fmt::format("has an array of type '{}'", name));
    const std::string_view format = array.attribute("format").value();
    if (format == "ascii") return from_ascii<T>(array.text().get());
    Buffer bytes;
    if (format == "binary") {
      std::string_view text = array.text().get();
      text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
      bytes = decoded(text, false);
    } else if (format == "appended") {
      const auto offset = static_cast<std::size_t>(array.attribute("offset").as_ullong());
      if (offset > appended_.size()) throw bad("an array begins after the end of the file");
      bytes = decoded(appended_.substr(offset), raw_);
    } else {
      throw bad(fmt::format("has an array in format '{}'", format));
    }
    if (bytes.size() % type->bytes != 0) throw bad("an array ends in the middle of a number");
    std::vector<T> values(bytes.size() / type->bytes);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = number<T>(bytes.data() + i * type->bytes, *type);
    return values;
  }

  template <typename T>
  std::vector<T> from_ascii(std::string_view text) const {
    std::vector<T> values;
    const char* at = text.data();
    const char* end = at + text.size();
    while (true) {
      while (at != end && std::isspace(static_cast<unsigned char>(*at)) != 0) ++at;
      if (at == end) return values;
      double value = 0;
      const auto [next, error] = std::from_chars(at, end, value);
      if (error != std::errc()) throw bad("has an array with something that is not a number");
      values.push_back(static_cast<T>(value));
      at = next;
    }
  }

  template <typename Raw>
  Raw raw_number(const unsigned char* bytes) const {
    std::array<unsigned char, sizeof(Raw)> copy{};
    std::memcpy(copy.data(), bytes, sizeof(Raw));
    if (swap_) std::reverse(copy.begin(), copy.end());
    return std::bit_cast<Raw>(copy);
  }

  template <typename T>
  T number(const unsigned char* bytes, const NumberType& type) const {
    switch (type.bytes) {
      case 1: return static_cast<T>(type.is_signed ? raw_number<std::int8_t>(bytes) : raw_number<std::uint8_t>(bytes));
      case 2:
        return static_cast<T>(type.is_signed ? raw_number<std::int16_t>(bytes) : raw_number<std::uint16_t>(bytes));
      case 4:
        if (type.floating) return static_cast<T>(raw_number<float>(bytes));
        return type.is_signed ? static_cast<T>(raw_number<std::int32_t>(bytes))
                              : static_cast<T>(raw_number<std::uint32_t>(bytes));
      default:
        if (type.floating) return static_cast<T>(raw_number<double>(bytes));
        return static_cast<T>(raw_number<std::int64_t>(bytes));
    }
  }

  std::uint64_t header_number(const Buffer& bytes, std::size_t index) const {
    const unsigned char* at = bytes.data() + index * header_bytes_;
    return header_bytes_ == 8 ? raw_number<std::uint64_t>(at) : raw_number<std::uint32_t>(at);
  }

  // The first `count` bytes at `data`, raw or from base64.
  Buffer bytes_at(std::string_view data, std::size_t count, bool raw) const {
    const std::size_t length = raw ? count : base64_length(count);
    if (data.size() < length) throw bad("an array ends after the end of the file");
    Buffer bytes = raw ? Buffer(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(count))
                       : from_base64(data.substr(0, length));
    if (bytes.size() < count) throw bad("an array is truncated");
    bytes.resize(count);
    return bytes;
  }

  // An array's bytes. Uncompressed: [length][bytes], encoded as one. Compressed: [blocks][block][last block]
  // [compressed length of each], encoded by itself, then the blocks, encoded as one.
  Buffer decoded(std::string_view data, bool raw) const {
    if (!compressed_) {
      const std::uint64_t length = header_number(bytes_at(data, header_bytes_, raw), 0);
      if (length > data.size()) throw bad("an array ends after the end of the file");
      Buffer bytes = bytes_at(data, header_bytes_ + length, raw);
      bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header_bytes_));
      return bytes;
    }
    const std::uint64_t blocks = header_number(bytes_at(data, header_bytes_, raw), 0);
    if (blocks > data.size()) throw bad("an array has more blocks than the file has bytes");
    const std::size_t header_length = (3 + blocks) * header_bytes_;
    const Buffer header = bytes_at(data, header_length, raw);
    std::uint64_t all = 0;
    for (std::uint64_t block = 0; block < blocks; ++block) all += header_number(header, 3 + block);
    data.remove_prefix(raw ? header_length : base64_length(header_length));
    if (all > data.size()) throw bad("an array ends after the end of the file");
    const Buffer packed = bytes_at(data, all, raw);
    Buffer bytes;
    std::size_t at = 0;
    for (std::uint64_t block = 0; block < blocks; ++block) {
      const bool last = block + 1 == blocks && header_number(header, 2) > 0;
      const std::uint64_t length = header_number(header, last ? 2 : 1);
      const std::uint64_t packed_length = header_number(header, 3 + block);
      if (length > 1100 * (packed_length + 1)) throw bad("a block claims to hold more than zlib can");
      const std::size_t before = bytes.size();
      bytes.resize(before + length);
      uLongf got = length;
      if (uncompress(bytes.data() + before, &got, packed.data() + at, packed_length) != Z_OK || got != length) {
        throw bad("a compressed block is damaged");
      }
      at += packed_length;
    }
    return bytes;
  }

  std::string path_;
  std::string text_;
  std::string_view appended_;
  bool raw_ = false;
  bool compressed_ = false;
  bool swap_ = false;
  std::size_t header_bytes_ = 4;
  pugi::xml_document document_;
};

}  // namespace

Mesh read_vtu(const std::string& path) { return VtuFile(path).mesh(); }

VtuFields read_vtu_fields(const std::string& path, const std::vector<std::string>& on_points,
                          const std::vector<std::string>& on_cells) {
  const VtuFile file(path);
  return {file.mesh(), file.arrays("PointData", "NumberOfPoints", on_points),
          file.arrays("CellData", "NumberOfCells", on_cells)};
}

}  // namespace weft::view
