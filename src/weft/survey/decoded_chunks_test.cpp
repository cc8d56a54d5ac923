#include "weft/survey/decoded_chunks.hpp"

#include <gtest/gtest.h>

namespace weft::survey {
namespace {

std::vector<std::byte> chunk_of(std::size_t bytes, int value) { return {bytes, static_cast<std::byte>(value)}; }

TEST(DecodedChunks, WhatWasUsedLongestAgoGoesFirst) {
  DecodedChunks kept(100);
  const int one = 0;
  const int other = 0;
  kept.keep(&one, 0, chunk_of(40, 1));
  kept.keep(&other, 0, chunk_of(40, 2));
  ASSERT_NE(kept.find(&one, 0), nullptr);
  EXPECT_EQ(kept.find(&one, 0)->at(39), std::byte{1});
  kept.keep(&one, 7, chunk_of(30, 3));
  EXPECT_EQ(kept.find(&other, 0), nullptr);
  EXPECT_NE(kept.find(&one, 0), nullptr);
  EXPECT_EQ(kept.find(&one, 7)->at(0), std::byte{3});
  EXPECT_EQ(kept.bytes(), 70U);
}

TEST(DecodedChunks, NoMoreThanMayBeKept) {
  DecodedChunks kept(100);
  const int one = 0;
  kept.keep(&one, 0, chunk_of(101, 1));
  EXPECT_EQ(kept.find(&one, 0), nullptr);
  kept.keep(&one, 1, chunk_of(100, 1));
  kept.keep(&one, 1, chunk_of(100, 2));  // it is there already
  EXPECT_EQ(kept.bytes(), 100U);
  const DecodedChunks::Chunk held = kept.find(&one, 1);
  kept.keep(&one, 2, chunk_of(50, 3));
  EXPECT_EQ(held->at(99), std::byte{1}) << "whoever holds one keeps it";
  EXPECT_EQ(kept.bytes(), 50U);
}

}  // namespace
}  // namespace weft::survey
