#include "stores/passes.hpp"

#include <gtest/gtest.h>

#include <array>

namespace weft::stores {
namespace {

constexpr std::uint64_t kBytes = 2ULL << 20;

// Of requests that take so long each.
Pass pass(std::uint64_t requests, double request_s) {
  const double elapsed = static_cast<double>(requests) * request_s;
  return {requests, request_s, request_s, elapsed, static_cast<double>(requests * kBytes) / elapsed};
}

RequestCell of(const std::array<Pass, 3>& passes) {
  return of_passes({Access::write, Sharing::own_files, kBytes, 1}, passes);
}

TEST(Passes, AFewLongRequestsAddUp) {
  const RequestCell cell = of({pass(3, 0.05), pass(3, 0.1), pass(3, 0.05)});
  EXPECT_EQ(cell.requests, 9U);
  EXPECT_NEAR(cell.bytes_per_s, 9 * kBytes / (6 * 0.05 + 3 * 0.1), 1) << "the median pass is one of the two";
  EXPECT_NEAR(cell.least_bytes_per_s, kBytes / 0.1, 1);
  EXPECT_NEAR(cell.most_bytes_per_s, kBytes / 0.05, 1);
}

TEST(Passes, OfManyRequestsADisturbedPassIsLeftOut) {
  const RequestCell cell = of({pass(100, 0.001), pass(20, 0.05), pass(100, 0.001)});
  EXPECT_NEAR(cell.bytes_per_s, kBytes / 0.001, 1);
}

TEST(Passes, AMedianOfNothingIsNothing) { EXPECT_EQ(median({}), 0); }

}  // namespace
}  // namespace weft::stores
