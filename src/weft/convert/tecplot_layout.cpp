#include "weft/convert/tecplot_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/support/error.hpp"

namespace weft::convert {

namespace {

constexpr float kZone = 299.0F;
constexpr float kVariableNote = 899.0F;
constexpr float kEndOfHeader = 357.0F;

std::int32_t number_of(DataType type) {
  switch (type) {
    case DataType::float32: return 1;
    case DataType::float64: return 2;
    case DataType::int32: return 3;
    case DataType::uint8: return 5;
    case DataType::int64: break;
  }
  throw Error(ErrorKind::usage, "Tecplot", "has no integers of 64 bits", "write them as float64");
}

class Bytes {
 public:
  template <typename T>
  void add(T value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void integer(std::int64_t value) { add(static_cast<std::int32_t>(value)); }
  void text(std::string_view text) {
    for (const char c : text) integer(static_cast<unsigned char>(c));
    integer(0);
  }
  void raw(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

PltLayout::PltLayout(const std::string& title, DataType coordinates, std::vector<PltVariable> variables,
                     std::vector<PltBlock> blocks, std::vector<PltStep> steps)
    : coordinates_(coordinates),
      variables_(std::move(variables)),
      blocks_(std::move(blocks)),
      steps_(std::move(steps)) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (const PltBlock& block : blocks_) {
    if (block.points() <= kMost && block.elements <= kMost) continue;
    throw Error(
        ErrorKind::usage, block.name,
        fmt::format("{} points and {} elements are more than a Tecplot file counts", block.points(), block.elements),
        "convert it --to vtu");
  }
  make_header(title);
}

bool PltLayout::is_here(std::size_t block, std::size_t variable) const {
  return variable < kCoordinates || variables_[variable - kCoordinates].block == block;
}

std::vector<std::size_t> PltLayout::stored(std::size_t block, std::size_t step) const {
  std::vector<std::size_t> here;
  for (std::size_t v = step == 0 ? 0 : kCoordinates; v < variables(); ++v) {
    if (is_here(block, v)) here.push_back(v);
  }
  return here;
}

std::uint64_t PltLayout::values_bytes(std::size_t block, std::size_t variable) const {
  const bool on_elements = variable >= kCoordinates && variables_[variable - kCoordinates].on_elements;
  return (on_elements ? blocks_[block].elements : blocks_[block].points()) * size_of(type_of(variable));
}

// The marker, the types, passive variables, shared ones, shared elements, ranges.
std::uint64_t PltLayout::head_bytes(std::size_t block, std::size_t step) const {
  const std::uint64_t list = 4 * variables();
  const std::size_t here = stored(block, 0).size();
  return 4 + list + 4 + (here < variables() ? list : 0) + 4 + (step > 0 ? list : 0) + 4 +
         16 * stored(block, step).size();
}

std::uint64_t PltLayout::zone_bytes(std::size_t block, std::size_t step) const {
  std::uint64_t bytes = head_bytes(block, step);
  for (const std::size_t variable : stored(block, step)) bytes += values_bytes(block, variable);
  if (step == 0) bytes += 4 * corners_of(blocks_[block].zone) * blocks_[block].elements;
  return bytes;
}

std::uint64_t PltLayout::zone_address(std::size_t block, std::size_t step) const {
  std::uint64_t address = header_.size();
  for (std::size_t b = 0; b <= std::min(block, blocks_.size() - 1); ++b) {
    const std::size_t zones = b < block ? steps_.size() : step;
    if (zones > 0) address += zone_bytes(b, 0) + (zones - 1) * zone_bytes(b, 1);
  }
  return address;
}

std::uint64_t PltLayout::values_address(std::size_t block, std::size_t step, std::size_t variable) const {
  std::uint64_t address = zone_address(block, step) + head_bytes(block, step);
  for (const std::size_t before : stored(block, step)) {
    if (before == variable) break;
    address += values_bytes(block, before);
  }
  return address;
}

std::uint64_t PltLayout::elements_address(std::size_t block) const {
  return zone_address(block, 0) + zone_bytes(block, 0) - 4 * corners_of(blocks_[block].zone) * blocks_[block].elements;
}

std::vector<std::byte> PltLayout::zone_head(std::size_t block, std::size_t step,
                                            std::span<const PltRange> ranges) const {
  const auto first_zone = static_cast<std::int64_t>(block * steps_.size());
  Bytes bytes;
  bytes.add(kZone);
  for (std::size_t v = 0; v < variables(); ++v) bytes.integer(number_of(type_of(v)));
  const bool passive = stored(block, 0).size() < variables();
  bytes.integer(passive ? 1 : 0);
  for (std::size_t v = 0; passive && v < variables(); ++v) bytes.integer(is_here(block, v) ? 0 : 1);
  bytes.integer(step > 0 ? 1 : 0);
  for (std::size_t v = 0; step > 0 && v < variables(); ++v) bytes.integer(v < kCoordinates ? first_zone : -1);
  const bool shares_elements = step > 0 && blocks_[block].zone != ZoneType::ordered;
  bytes.integer(shares_elements ? first_zone : -1);
  for (const PltRange& range : ranges) {
    const bool known = range.least <= range.greatest;  // else no value is a number
    bytes.add(known ? range.least : 0.0);
    bytes.add(known ? range.greatest : 0.0);
  }
  return bytes.take();
}

void PltLayout::make_header(const std::string& title) {
  Bytes bytes;
  bytes.raw("#!TDV112");
  bytes.integer(1);  // in the byte order of what follows
  bytes.integer(0);  // mesh and solution
  bytes.text(title);
  bytes.integer(static_cast<std::int64_t>(variables()));
  for (const char* name : {"X", "Y", "Z"}) bytes.text(name);
  for (const PltVariable& variable : variables_) bytes.text(variable.name);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const PltBlock& block = blocks_[b];
    for (const PltStep& step : steps_) {
      bytes.add(kZone);
      bytes.text(block.name);
      bytes.integer(-1);  // no parent
      bytes.integer(static_cast<std::int64_t>(b));
      bytes.add(step.time);
      bytes.integer(-1);  // any colour
      bytes.integer(static_cast<std::int32_t>(block.zone));
      bytes.integer(1);  // where the variables stand
      for (std::size_t v = 0; v < variables(); ++v) {
        const bool on_elements = v >= kCoordinates && is_here(b, v) && variables_[v - kCoordinates].on_elements;
        bytes.integer(on_elements ? 1 : 0);
      }
      bytes.integer(0);  // no neighbours of faces, and no further ones
      bytes.integer(0);
      if (block.zone == ZoneType::ordered) {
        for (const std::uint64_t extent : block.extent) bytes.integer(static_cast<std::int64_t>(extent));
      } else {
        bytes.integer(static_cast<std::int64_t>(block.points()));
        bytes.integer(static_cast<std::int64_t>(block.elements));
        for (int unused = 0; unused < 3; ++unused) bytes.integer(0);
      }
      for (const auto& [name, value] : step.notes) {
        bytes.integer(1);
        bytes.text(name);
        bytes.integer(0);  // a text
        bytes.text(value);
      }
      bytes.integer(0);
    }
  }
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    if (variables_[v].units.empty()) continue;
    bytes.add(kVariableNote);
    bytes.integer(static_cast<std::int64_t>(kCoordinates + v));
    bytes.text("Units");
    bytes.integer(0);
    bytes.text(variables_[v].units);
  }
  bytes.add(kEndOfHeader);
  header_ = bytes.take();
}

}  // namespace weft::convert
