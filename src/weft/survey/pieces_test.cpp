#include "weft/survey/pieces.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/support/error.hpp"

namespace weft::survey {
namespace {

using testing::ElementsAre;

TEST(PiecesTest, ThoseAtTheEdgesAreCut) {
  const Pieces pieces({5, 7}, {2, 4});
  EXPECT_THAT(pieces.counts(), ElementsAre(3, 2));
  EXPECT_EQ(pieces.box(0), (Box{{0, 0}, {2, 4}}));
  EXPECT_EQ(pieces.box(3), (Box{{2, 4}, {2, 3}}));
  EXPECT_EQ(pieces.box(5), (Box{{4, 4}, {1, 3}}));
  std::uint64_t elements = 0;
  for (std::uint64_t n = 0; n < pieces.count(); ++n) elements += element_count(pieces.box(n).count);
  EXPECT_EQ(elements, 35U);
}

TEST(PiecesTest, LargerThanTheArrayScalarsAndNothing) {
  EXPECT_EQ(Pieces({3}, {10}).box(0), (Box{{0}, {3}}));
  EXPECT_EQ(Pieces({}, {}).count(), 1U);
  EXPECT_EQ(Pieces({4, 0}, {2, 2}).count(), 0U);
  EXPECT_THROW(Pieces({4, 4}, {2}), Error);
  EXPECT_THROW(Pieces({4, 4}, {2, 0}), Error);
}

TEST(PiecesTest, RowMajorPiecesFollowEachOther) {
  EXPECT_THAT(row_major_piece({151, 400000, 2}, 1000000), ElementsAre(1, 400000, 2));
  EXPECT_THAT(row_major_piece({151, 400000, 2}, 100000), ElementsAre(1, 50000, 2));
  EXPECT_THAT(row_major_piece({9, 100}, 400), ElementsAre(3, 100)) << "equal parts";
  EXPECT_THAT(row_major_piece({9, 100}, 10000), ElementsAre(9, 100));
  EXPECT_THAT(row_major_piece({9, 100}, 0), ElementsAre(1, 1));
  EXPECT_THAT(row_major_piece({}, 10), ElementsAre());
  EXPECT_EQ(index_text({40, 5000, 1}), "[40, 5000, 1]");
}

}  // namespace
}  // namespace weft::survey
