#include "weft/view/submesh.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/support/error.hpp"

namespace weft::view {
namespace {

using testing::ElementsAre;

const Cells kLinesAndATriangle{{0, 2, 4, 6, 9}, {0, 1, 1, 3, 3, 4, 0, 3, 4}, {3, 3, 3, 5}};

TEST(Submesh, KeepsTheCellsWhollyAmongItsNodes) {
  const std::vector<std::int64_t> nodes{4, 1, 3};
  const Cells part = cells_among(nodes, 5, kLinesAndATriangle);
  EXPECT_THAT(part.types, ElementsAre(3, 3));
  EXPECT_THAT(part.connectivity, ElementsAre(1, 2, 2, 0));
  EXPECT_THAT(part.offsets, ElementsAre(0, 2, 4));
}

TEST(Submesh, OfAllNodesIsTheMesh) {
  const std::vector<std::int64_t> nodes{0, 1, 2, 3, 4};
  const Cells part = cells_among(nodes, 5, kLinesAndATriangle);
  EXPECT_EQ(part.connectivity, kLinesAndATriangle.connectivity);
  EXPECT_EQ(part.offsets, kLinesAndATriangle.offsets);
  EXPECT_EQ(part.types, kLinesAndATriangle.types);
}

TEST(Submesh, OfLoneNodesHasNoCells) {
  const std::vector<std::int64_t> nodes{2, 0};
  const Cells part = cells_among(nodes, 5, kLinesAndATriangle);
  EXPECT_TRUE(part.types.empty());
  EXPECT_THAT(part.offsets, ElementsAre(0));
}

TEST(Submesh, RefusesNumbersThatLeadOutside) {
  const std::vector<std::int64_t> nodes{0, 5};
  EXPECT_THROW(cells_among(nodes, 5, kLinesAndATriangle), Error);
  const std::vector<std::int64_t> all{0, 1, 2};
  EXPECT_THROW(cells_among(all, 3, kLinesAndATriangle), Error) << "point 4 of 3";
}

}  // namespace
}  // namespace weft::view
