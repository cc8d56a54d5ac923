#include "weft/convert/mesh_piece.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/support/error.hpp"

namespace weft::convert {
namespace {

using ::testing::ElementsAre;

TEST(MeshPiece, NumbersLocallyNearAndFar) {
  std::vector<std::int64_t> near{7, 4, 5, 7};
  EXPECT_THAT(number_locally(near, 10), ElementsAre(4, 5, 7));
  EXPECT_THAT(near, ElementsAre(2, 0, 1, 2));
  std::vector<std::int64_t> far{999'999, 3, 999'999};
  EXPECT_THAT(number_locally(far, 1'000'000), ElementsAre(3, 999'999));
  EXPECT_THAT(far, ElementsAre(1, 0, 1));
}

TEST(MeshPiece, ANumberOutsideTheMeshIsAnError) {
  std::vector<std::int64_t> above{0, 10};
  EXPECT_THROW(number_locally(above, 10), Error);
  std::vector<std::int64_t> below{0, -1};
  EXPECT_THROW(number_locally(below, 10), Error);
}

TEST(MeshPiece, RangesReachOverSmallGaps) {
  const std::vector<std::int64_t> nodes{3, 4, 6, 20};
  EXPECT_THAT(row_ranges(nodes, 2), ElementsAre(RowRange{3, 4}, RowRange{20, 1}));
  EXPECT_THAT(row_ranges(nodes, 0), ElementsAre(RowRange{3, 2}, RowRange{6, 1}, RowRange{20, 1}));
  EXPECT_THAT(row_ranges({}, 2), ElementsAre());
}

}  // namespace
}  // namespace weft::convert
