#include "kernels/picmss/picmss_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace weft::kernels::picmss {

namespace {

constexpr float kZoneMark = 299.0F;
constexpr float kEndOfHeaderMark = 357.0F;
constexpr std::int32_t kFeBrick = 5;
constexpr std::int32_t kDouble = 2;
constexpr std::uint64_t kInteger = sizeof(std::int32_t);
constexpr std::uint64_t kValue = sizeof(double);
constexpr std::size_t kAll = kPicmssCoordinates.size() + kPicmssVariables.size();

// Fills an array from its beginning.
template <std::size_t N>
class Filler {
 public:
  explicit Filler(std::array<std::int32_t, N>& integers) : integers_(integers) {}
  void integer(std::int64_t value) { integers_.at(filled_++) = static_cast<std::int32_t>(value); }
  void integers(std::size_t count, std::int64_t value) {
    for (std::size_t i = 0; i < count; ++i) integer(value);
  }
  // A character an integer, and a 0 behind them.
  void text(std::string_view text) {
    for (const char letter : text) integer(static_cast<unsigned char>(letter));
    integer(0);
  }

 private:
  std::array<std::int32_t, N>& integers_;
  std::size_t filled_ = 0;
};

constexpr std::size_t text_integers() {
  std::size_t integers = kPicmssTitle.size() + 1;
  for (const std::string_view name : kPicmssCoordinates) integers += name.size() + 1;
  for (const std::string_view name : kPicmssVariables) integers += name.size() + 1;
  return integers;
}
static_assert(3 + text_integers() == 52, "byte order, kind, number of variables, and the words");

ZoneHeader zone_header(const LineGrid& grid, std::uint64_t step) {
  ZoneHeader zone{};
  zone.mark = kZoneMark;
  Filler before(zone.name_and_strand);
  before.text(fmt::format("step {:05}", step));
  before.integer(-1);  // no parent
  before.integer(0);   // all steps make the first strand, from 0
  zone.time = static_cast<double>(step);
  Filler behind(zone.shape);
  behind.integer(-1);  // any colour
  behind.integer(kFeBrick);
  behind.integer(0);      // all variables stand on nodes
  behind.integers(2, 0);  // no neighbours of faces, and no further ones
  behind.integer(static_cast<std::int64_t>(grid.nodes()));
  behind.integer(static_cast<std::int64_t>(grid.bricks()));
  behind.integers(3, 0);  // not used
  behind.integer(0);      // no notes
  return zone;
}

}  // namespace

FirstHeader first_header(const LineGrid& grid, std::uint64_t first_step, std::uint64_t steps, const Ranges& ranges) {
  FirstHeader header{.magic = {'#', '!', 'T', 'D', 'V', '1', '1', '2'},
                     .title_and_names = {},
                     .zones = {},
                     .marks = {kEndOfHeaderMark, kZoneMark},
                     .variables = {},
                     .ranges = {}};
  Filler words(header.title_and_names);
  words.integer(1);  // in the byte order of what follows
  words.integer(0);  // mesh and solution
  words.text(kPicmssTitle);
  words.integer(kAll);
  for (const std::string_view name : kPicmssCoordinates) words.text(name);
  for (const std::string_view name : kPicmssVariables) words.text(name);
  header.zones.reserve(steps);
  for (std::uint64_t step = 0; step < steps; ++step) header.zones.push_back(zone_header(grid, first_step + step));
  Filler variables(header.variables);
  variables.integers(kAll, kDouble);
  variables.integer(0);   // none passive
  variables.integer(0);   // none shared
  variables.integer(-1);  // nor the bricks
  std::copy(ranges.begin(), ranges.end(), header.ranges.begin());
  return header;
}

StepHeader step_header(const Ranges& ranges) {
  StepHeader header{.mark = kZoneMark, .variables = {}, .ranges = {}};
  Filler variables(header.variables);
  variables.integers(kAll, kDouble);
  variables.integer(0);                              // none passive
  variables.integer(1);                              // some shared:
  variables.integers(kPicmssCoordinates.size(), 0);  // with zone 0,
  variables.integers(kPicmssVariables.size(), -1);   // and with none
  variables.integer(0);                              // the bricks of zone 0
  std::copy(ranges.begin(), ranges.end(), header.ranges.begin());
  return header;
}

std::uint64_t first_header_values(std::uint64_t steps) { return 8 + 52 + steps * (1 + 13 + 1 + 11) + 2 + 12 + 18; }

std::uint64_t PicmssLayout::header_bytes(std::uint64_t step) const {
  if (step > 0) return sizeof(float) + 21 * kInteger + 12 * kValue;
  return 8 + 52 * kInteger + steps_ * kZoneHeaderBytes + 2 * sizeof(float) + 12 * kInteger + 18 * kValue;
}

std::uint64_t PicmssLayout::step_address(std::uint64_t step) const {
  if (step == 0) return 0;
  const std::uint64_t first = header_bytes(0) + kValue * kAll * grid_.nodes() + kBrickBytes * grid_.bricks();
  return first + (step - 1) * (header_bytes(1) + kValue * kPicmssVariables.size() * grid_.nodes());
}

std::vector<Section> PicmssLayout::sections(std::uint64_t step) const {
  using enum Section::Kind;
  std::vector<Section> sections;
  std::uint64_t address = step_address(step) + header_bytes(step);
  const auto add = [&](Section::Kind kind, std::size_t number, std::uint64_t items, std::uint64_t item_bytes) {
    sections.push_back({kind, number, address, items, item_bytes});
    address = sections.back().end();
  };
  for (std::size_t c = 0; step == 0 && c < kPicmssCoordinates.size(); ++c) add(coordinate, c, grid_.nodes(), kValue);
  for (std::size_t v = 0; v < kPicmssVariables.size(); ++v) add(variable, v, grid_.nodes(), kValue);
  if (step == 0) add(bricks, 0, grid_.bricks(), kBrickBytes);
  return sections;
}

}  // namespace weft::kernels::picmss
