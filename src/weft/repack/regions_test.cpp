#include "weft/repack/regions.hpp"

#include <gtest/gtest.h>

#include "weft/support/error.hpp"

namespace weft::repack {
namespace {

MoveRequest heart() {
  MoveRequest request;
  request.name = "/Data";
  request.shape = {151, 400000, 2};
  request.source_chunk = {41, 400000, 2};
  request.target_chunk = {19, 3449, 2};
  request.workers = 2;
  return request;
}

TEST(Regions, UnfilteredNeedOnlyTheTargetsChunks) {
  const MovePlan plan = plan_move(heart());
  EXPECT_FALSE(plan.spill);
  EXPECT_TRUE(plan.first.region[0] % 19 == 0 || plan.first.region[0] == 151);
  EXPECT_TRUE(plan.first.region[1] % 3449 == 0 || plan.first.region[1] == 400000);
  EXPECT_LE(plan.first.region_bytes, 512ULL << 20);
  EXPECT_GE(plan.first.region_bytes, 32ULL << 20);
}

TEST(Regions, FilteredOnBothSidesTakeACommonMultipleWhereItFits) {
  MoveRequest request = heart();
  request.decode_whole = request.encode_whole = true;
  request.source_chunk = {1, 400000, 2};
  const MovePlan plan = plan_move(request);
  EXPECT_FALSE(plan.spill);
  EXPECT_EQ(plan.first.region[0] % 19, 0);
  EXPECT_EQ(plan.first.region[1], 400000);
}

TEST(Regions, SpillWhereItDoesNot) {
  MoveRequest request = heart();
  request.decode_whole = request.encode_whole = true;
  request.source_chunk = {1, 400000, 2};
  request.target_chunk = {151, 434, 2};
  request.budget_bytes = 256ULL << 20;
  const MovePlan plan = plan_move(request);
  EXPECT_TRUE(plan.spill);
  EXPECT_EQ(plan.first.region[1], 400000);
  EXPECT_EQ(plan.second.region[1] % 434, 0);
  EXPECT_EQ(plan.spill_bytes, 151ULL * 922 * 434 * 2 * 8);
  EXPECT_LE(2 * plan.first.region_bytes, 256ULL << 20);
}

TEST(Regions, AChunkAboveTheBudgetIsSaidWithWhatItNeeds) {
  MoveRequest request = heart();
  request.decode_whole = true;
  request.budget_bytes = 256ULL << 20;
  try {
    plan_move(request);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("--budget 751MiB"), std::string::npos) << error.what();
  }
}

TEST(Regions, TouchedByWhatIsThere) {
  EXPECT_EQ(regions_touched({7, 10}, {3, 4}, {2, 5}, {{2, 0}, {6, 5}}), (std::vector<std::uint64_t>{0, 1, 3, 4, 7, 8}));
  EXPECT_TRUE(regions_touched({7, 10}, {3, 4}, {2, 5}, {}).empty());
}

TEST(Regions, TileTheDatasetOnce) {
  const Shape shape{7, 10, 3};
  const Shape region{3, 4, 3};
  std::uint64_t elements = 0;
  Pass pass;
  pass.region = region;
  for (std::uint64_t n = 0; n < pass.regions(shape); ++n) elements += element_count(region_box(shape, region, n).count);
  EXPECT_EQ(pass.regions(shape), 9);
  EXPECT_EQ(elements, 210);
  EXPECT_EQ(region_box(shape, region, 8), (Box{{6, 8, 0}, {1, 2, 3}}));
}

}  // namespace
}  // namespace weft::repack
