// kernels/picmss/picmss_file.hpp - the bytes of a Tecplot file as picmss writes it: version 112, one zone of bricks a
// step. Pure: what stands in the headers, and where everything lies.
//
// First step: 8 characters, 52 integers (byte order, kind of file, title, names of the variables, a character an
// integer), a ZoneHeader for every step, two marks, 12 integers and 18 doubles (what the variables are, their least and
// greatest values); then X, Y, Z, the six variables, and 8 corners of every brick, from 0. Later steps: a mark, 21
// integers (with what is shared: coordinates and bricks, with the first zone) and 12 doubles; then the six variables.
// All integers have 32 bits, all values are doubles. Format: Tecplot 360 Data Format Guide, "Binary Data File Format".
//
// Worked, N steps of 4 x 3 x 2 nodes (24, with 6 bricks): the first header has 8 + 208 + 108 N + 8 + 48 + 144 = 416 +
// 108 N bytes, its data 9 * 192 + 6 * 32 = 1,920; a later step has 184 + 6 * 192 = 1,336. One value after another, the
// headers are 92 + 26 N values (118 for one zone) and 34.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels/picmss/picmss_lines.hpp"

namespace weft::kernels::picmss {

// Three numbers, the title and the names are 52 integers: each word has a 0 behind it.
inline constexpr std::string_view kPicmssTitle = "Natural convection in a cube";
inline constexpr std::array<std::string_view, 3> kPicmssCoordinates{"X", "Y", "Z"};
inline constexpr std::array<std::string_view, 6> kPicmssVariables{"U", "V", "W", "P", "T", "phi"};
inline constexpr std::uint64_t kCornersOfBrick = 8;
inline constexpr std::uint64_t kBrickBytes = kCornersOfBrick * sizeof(std::int32_t);

// Its members in this order are what the file has; the gap at the end is not in it.
struct ZoneHeader {
  float mark;
  std::array<std::int32_t, 13> name_and_strand;
  double time;
  std::array<std::int32_t, 11> shape;
};
static_assert(std::is_standard_layout_v<ZoneHeader> && sizeof(ZoneHeader) == 112);
inline constexpr std::uint64_t kZoneHeaderBytes = 4 + 13 * 4 + 8 + 11 * 4;

struct FirstHeader {
  std::array<char, 8> magic;
  std::array<std::int32_t, 52> title_and_names;
  std::vector<ZoneHeader> zones;
  std::array<float, 2> marks;
  std::array<std::int32_t, 12> variables;
  std::array<double, 18> ranges;
};

struct StepHeader {
  float mark;
  std::array<std::int32_t, 21> variables;
  std::array<double, 12> ranges;
};

// Least and greatest, one behind the other, of the variables that stand in a zone.
using Ranges = std::vector<double>;

// `first_step` is the first zone's number, for its name and time; `steps` zones follow.
FirstHeader first_header(const LineGrid& grid, std::uint64_t first_step, std::uint64_t steps, const Ranges& ranges);
StepHeader step_header(const Ranges& ranges);

// How many values a header is.
std::uint64_t first_header_values(std::uint64_t steps);
inline constexpr std::uint64_t kStepHeaderValues = 1 + 21 + 12;

// An array of a step in the file.
struct Section {
  enum class Kind : std::uint8_t { coordinate, variable, bricks };
  Kind kind;
  std::size_t number;     // which coordinate or variable
  std::uint64_t address;  // in the file
  std::uint64_t items;    // nodes or bricks
  std::uint64_t item_bytes;
  std::uint64_t end() const { return address + items * item_bytes; }
};

class PicmssLayout {
 public:
  PicmssLayout(const LineGrid& grid, std::uint64_t steps) : grid_(grid), steps_(steps) {}

  std::uint64_t header_bytes(std::uint64_t step) const;
  std::uint64_t step_address(std::uint64_t step) const;  // where its header begins
  std::vector<Section> sections(std::uint64_t step) const;
  std::uint64_t bytes() const { return step_address(steps_); }

 private:
  LineGrid grid_;
  std::uint64_t steps_;
};

}  // namespace weft::kernels::picmss
