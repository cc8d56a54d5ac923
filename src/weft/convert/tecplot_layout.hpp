// weft/convert/tecplot_layout.hpp - where everything lies in a binary Tecplot file (.plt, version 112).
//
// The header lists the variables and all zones; then every zone's data: what its variables are, their least and
// greatest values, the values of one variable behind those of another, and the corners of its elements, counted from 0.
// All lengths are known before a value is: any rank can write its part at the place arithmetic gives it.
//
// A block of a view is a strand of zones, one a step; zones of the first block come first. X, Y, Z and the elements
// stand in a block's first zone, and the others share them. Variables of another block are passive. Names are
// characters of 32 bits, numbers in this machine's byte order. Format: Tecplot 360 Data Format Guide, "Binary Data File
// Format".
//
// Worked: X Y Z V, doubles, 100 nodes and 240 tetrahedra, 3 steps. The first zone has 4 + 4 * 4 (types) + 4 (none
// passive) + 4 (none shared) + 4 (elements not shared) + 4 * 16 (ranges) = 96 bytes, then 4 * 800 and 240 * 16 bytes.
// The others have 4 + 16 + 4 + 4 + 16 (what is shared) + 4 + 16 = 64 bytes, then 800.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/convert/tecplot_elements.hpp"
#include "weft/support/data_type.hpp"

namespace weft::convert {

struct PltVariable {
  std::string name;
  std::string units;
  DataType type = DataType::float64;  // not int64, which Tecplot has not
  std::size_t block = 0;
  bool on_elements = false;
};

struct PltBlock {
  std::string name;
  ZoneType zone = ZoneType::ordered;
  std::array<std::uint64_t, 3> extent{1, 1, 1};  // of an ordered zone, fastest first; else {points, 1, 1}
  std::uint64_t elements = 0;
  std::uint64_t points() const { return extent[0] * extent[1] * extent[2]; }
};

struct PltStep {
  double time = 0;
  std::vector<std::pair<std::string, std::string>> notes;  // name and value, of every zone of the step
};

// Of the values that are numbers.
struct PltRange {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();
  void add(double value) {
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  void add(const PltRange& other) {
    if (other.least < least) least = other.least;
    if (other.greatest > greatest) greatest = other.greatest;
  }
};

class PltLayout {
 public:
  // Variables 0, 1, 2 of the file are X, Y and Z of type `coordinates`; `variables` follow. Throws Error(usage) where a
  // block has more than 2^31 - 1 points or elements.
  PltLayout(const std::string& title, DataType coordinates, std::vector<PltVariable> variables,
            std::vector<PltBlock> blocks, std::vector<PltStep> steps);

  static constexpr std::size_t kCoordinates = 3;
  std::size_t variables() const { return kCoordinates + variables_.size(); }
  DataType type_of(std::size_t variable) const {
    return variable < kCoordinates ? coordinates_ : variables_[variable - kCoordinates].type;
  }
  // The variables whose values zone `step` of the block holds itself, in their order.
  std::vector<std::size_t> stored(std::size_t block, std::size_t step) const;

  const std::vector<std::byte>& header() const { return header_; }
  std::uint64_t zone_address(std::size_t block, std::size_t step) const;
  // What stands before the values; one range for each of stored().
  std::vector<std::byte> zone_head(std::size_t block, std::size_t step, std::span<const PltRange> ranges) const;
  // Where the values of a stored() variable begin.
  std::uint64_t values_address(std::size_t block, std::size_t step, std::size_t variable) const;
  std::uint64_t elements_address(std::size_t block) const;  // in the block's first zone
  std::uint64_t bytes() const { return zone_address(blocks_.size(), 0); }

 private:
  bool is_here(std::size_t block, std::size_t variable) const;
  std::uint64_t values_bytes(std::size_t block, std::size_t variable) const;
  std::uint64_t head_bytes(std::size_t block, std::size_t step) const;
  std::uint64_t zone_bytes(std::size_t block, std::size_t step) const;
  void make_header(const std::string& title);

  DataType coordinates_;
  std::vector<PltVariable> variables_;
  std::vector<PltBlock> blocks_;
  std::vector<PltStep> steps_;
  std::vector<std::byte> header_;
};

}  // namespace weft::convert
