#include "weft/convert/tecplot_elements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/support/error.hpp"

namespace weft::convert {
namespace {

using ::testing::ElementsAre;

ZoneType zone_of(std::initializer_list<std::uint8_t> types) {
  CellCounts counts{};
  for (const std::uint8_t type : types) ++counts[type];
  return zone_for(counts);
}

std::vector<std::int32_t> element(ZoneType zone, std::uint8_t type, std::vector<std::int64_t> corners) {
  std::vector<std::int32_t> nodes;
  append_element(zone, type, corners, nodes);
  return nodes;
}

TEST(TecplotElements, OneShapeGetsItsZone) {
  EXPECT_EQ(zone_of({10, 10}), ZoneType::tetrahedron);
  EXPECT_EQ(zone_of({10, 1}), ZoneType::tetrahedron) << "a vertex is no element";
  EXPECT_EQ(zone_of({5}), ZoneType::triangle);
  EXPECT_EQ(zone_of({9, 5}), ZoneType::quadrilateral);
  EXPECT_EQ(zone_of({5, 3}), ZoneType::quadrilateral);
  EXPECT_EQ(zone_of({3}), ZoneType::line);
  EXPECT_EQ(zone_of({10, 12}), ZoneType::brick);
  EXPECT_EQ(zone_of({10, 3}), ZoneType::brick);
  EXPECT_EQ(zone_of({1, 2, 42}), ZoneType::ordered);
}

TEST(TecplotElements, CornersAreRepeated) {
  EXPECT_THAT(element(ZoneType::brick, 10, {5, 6, 7, 8}), ElementsAre(5, 6, 7, 7, 8, 8, 8, 8));
  EXPECT_THAT(element(ZoneType::brick, 13, {0, 1, 2, 3, 4, 5}), ElementsAre(0, 1, 2, 2, 3, 4, 5, 5));
  EXPECT_THAT(element(ZoneType::brick, 14, {0, 1, 2, 3, 4}), ElementsAre(0, 1, 2, 3, 4, 4, 4, 4));
  EXPECT_THAT(element(ZoneType::brick, 11, {0, 1, 2, 3, 4, 5, 6, 7}), ElementsAre(0, 1, 3, 2, 4, 5, 7, 6));
  EXPECT_THAT(element(ZoneType::brick, 9, {0, 1, 2, 3}), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
  EXPECT_THAT(element(ZoneType::quadrilateral, 5, {3, 4, 5}), ElementsAre(3, 4, 5, 5));
  EXPECT_THAT(element(ZoneType::quadrilateral, 8, {0, 1, 2, 3}), ElementsAre(0, 1, 3, 2));
  EXPECT_THAT(element(ZoneType::tetrahedron, 10, {5, 6, 7, 8}), ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(element(ZoneType::line, 3, {1, 0}), ElementsAre(1, 0));
}

TEST(TecplotElements, ACellWithTooFewCornersIsAnError) { EXPECT_THROW(element(ZoneType::brick, 12, {0, 1, 2}), Error); }

}  // namespace
}  // namespace weft::convert
