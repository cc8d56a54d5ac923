#include "weft/exchange/window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "weft/support/byte_planes.hpp"

namespace weft::exchange {
namespace {

constexpr std::uint64_t kTileElements = 40;
constexpr std::uint64_t kSteps = 3;

// Two tiles; the second has padding at its end, and its elements come in two runs.
WindowShape shape(bool may_shuffle) {
  partition::MovePlan plan;
  plan.tiles = {4, 7};
  plan.copies = {{0, 30, 0, 40}, {0, 0, 1, 13}, {13, 13, 1, 17}};
  WindowShape result;
  result.plan = std::make_shared<const partition::MovePlan>(plan);
  result.element_bytes = sizeof(double);
  result.tile_bytes = kTileElements * sizeof(double);
  result.steps = kSteps;
  result.may_shuffle = may_shuffle;
  return result;
}

TEST(Window, TilesShuffledOnTheWayHoldTheSameNumbers) {
  const WindowShape plain = shape(false);
  const WindowShape shuffled = shape(true);
  const TileMemory plain_tiles(plain);
  const TileMemory shuffled_tiles(shuffled);
  Mail plain_mail(plain);
  Mail shuffled_mail(shuffled);
  std::vector<double> local(70);
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    for (std::size_t i = 0; i < local.size(); ++i) local[i] = 1.0 / static_cast<double>(100 * step + i + 1);
    plain_mail.put(step, std::as_bytes(std::span(local)), plain_tiles);
    shuffled_mail.put(step, std::as_bytes(std::span(local)), shuffled_tiles);
  }
  for (std::uint64_t slot = 0; slot < 2; ++slot) {
    const std::span<const std::byte> expected = plain_tiles.steps_of(slot, 0, kSteps);
    const std::span<const std::byte> planes = shuffled_tiles.tile(slot);
    ASSERT_EQ(planes.size(), expected.size());
    std::vector<std::byte> numbers(expected.size());
    from_byte_planes(planes.data(), kSteps * kTileElements, sizeof(double), numbers);
    EXPECT_TRUE(std::memcmp(numbers.data(), expected.data(), numbers.size()) == 0) << "tile " << slot;
  }
}

TEST(Window, EachWindowMayLieInTheOtherWay) {
  const WindowShape filled = shape(true);
  TileMemory tiles(filled);
  Mail mail(filled);
  std::vector<double> local(70);
  double next = 1;
  for (const bool shuffles : {true, false, false, true, true, false}) {
    tiles.begin(shuffles);
    ASSERT_EQ(tiles.shuffles(), shuffles);
    std::vector<double> expected(2 * kSteps * kTileElements);  // padding is 0
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      for (double& value : local) value = 1 / ++next;
      mail.put(step, std::as_bytes(std::span(local)), tiles);
      double* first = expected.data() + step * kTileElements;
      double* second = first + kSteps * kTileElements;
      std::copy_n(local.data() + 30, 40, first);
      std::copy_n(local.data(), 30, second);
    }
    for (std::uint64_t slot = 0; slot < 2; ++slot) {
      std::vector<double> numbers(kSteps * kTileElements);
      const auto bytes = std::as_writable_bytes(std::span(numbers));
      if (shuffles) {
        from_byte_planes(tiles.tile(slot).data(), numbers.size(), sizeof(double), bytes);
      } else {
        std::ranges::copy(tiles.tile(slot), bytes.begin());
      }
      const auto wanted = std::span(expected).subspan(slot * numbers.size(), numbers.size());
      EXPECT_TRUE(std::ranges::equal(numbers, wanted)) << "tile " << slot << ", shuffled " << shuffles;
    }
  }
}

TEST(Window, WhereItMayNotShuffleItDoesNot) {
  const WindowShape plain = shape(false);
  TileMemory tiles(plain);
  tiles.begin(true);
  EXPECT_FALSE(tiles.shuffles());
}

}  // namespace
}  // namespace weft::exchange
