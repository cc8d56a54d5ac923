#include "weft/storage/page_memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>

namespace weft::storage {
namespace {

TEST(PageMemory, ABlockIsWholePagesAndItsEndIsFilledWithZeros) {
  PageBlock block(page_bytes() + 1);
  EXPECT_EQ(block.room(), 2 * page_bytes());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.bytes().data()) % page_bytes(), 0U);
  const std::array<std::byte, 3> some{std::byte{1}, std::byte{2}, std::byte{3}};
  EXPECT_EQ(block.append(some), 0U);
  EXPECT_EQ(block.append(some), 3U);
  EXPECT_EQ(block.used(), 6U);
  block.fill_page();
  ASSERT_EQ(block.used(), page_bytes());
  EXPECT_EQ(block.bytes()[5], std::byte{3});
  for (std::uint64_t i = 6; i < page_bytes(); ++i) ASSERT_EQ(block.bytes()[i], std::byte{0});
  block.fill_page();
  EXPECT_EQ(block.used(), page_bytes());
}

TEST(PageMemory, WhatLiesInTheRestIsAppendedAsItIs) {
  PageBlock block(page_bytes());
  block.append(std::array<std::byte, 3>{});
  EXPECT_EQ(block.rest().size(), page_bytes() - 3);
  block.rest()[0] = std::byte{7};
  EXPECT_EQ(block.append(block.rest().first(2)), 3U);
  EXPECT_EQ(block.bytes()[3], std::byte{7});
  EXPECT_EQ(block.used(), 5U);
}

TEST(PageMemory, WhatIsGivenBackIsTakenAgainIfItIsLargeEnough) {
  SpareBlocks spare;
  std::vector<PageBlock> blocks;
  blocks.push_back(spare.take(10, 3 * page_bytes()));
  EXPECT_EQ(blocks[0].room(), 3 * page_bytes());
  const std::byte* const memory = blocks[0].bytes().data();
  blocks[0].append(std::array<std::byte, 3>{});
  spare.give(std::exchange(blocks, {}));
  const PageBlock larger = spare.take(4 * page_bytes(), page_bytes());
  EXPECT_EQ(larger.room(), 4 * page_bytes());
  const PageBlock again = spare.take(3 * page_bytes(), page_bytes());
  EXPECT_EQ(again.bytes().data(), memory);
  EXPECT_EQ(again.used(), 0U);
}

}  // namespace
}  // namespace weft::storage
