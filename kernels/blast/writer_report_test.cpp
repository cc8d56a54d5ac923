#include "kernels/blast/writer_report.hpp"

#include <gtest/gtest.h>

namespace weft::kernels::blast {
namespace {

TEST(SpreadOf, IsMeanAndStandardDeviationOfASample) {
  const Spread spread = spread_of({2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_DOUBLE_EQ(spread.mean, 5);
  EXPECT_NEAR(spread.sd, 2.138089935299395, 1e-12);
  EXPECT_EQ(spread_of({3}).sd, 0);
  EXPECT_EQ(spread_of({}).mean, 0);
}

}  // namespace
}  // namespace weft::kernels::blast
