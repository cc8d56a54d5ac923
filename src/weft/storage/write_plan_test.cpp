// Plans compared with writing step by step, element by element.
#include "weft/storage/write_plan.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace weft::storage {
namespace {

ArrayEntry array_of(std::uint64_t steps, std::uint64_t chunk_steps, std::uint64_t tiles, std::uint64_t tile_bytes,
                    bool listed) {
  ArrayEntry array;
  array.type = DataType::uint8;
  array.shape = {steps, tiles * tile_bytes};
  array.chunk = {chunk_steps, tile_bytes};
  const std::uint64_t chunks = ceil_div(steps, chunk_steps) * tiles;
  array.addresses = ChunkAddresses::in_a_row(1000, chunk_steps * tile_bytes);
  if (!listed) return array;
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t c = 0; c < chunks; ++c) {  // chunks in falling order: none follows the one before it
    addresses.push_back(1000 + (chunks - 1 - c) * chunk_steps * tile_bytes);
  }
  array.addresses = ChunkAddresses::listed(std::move(addresses));
  return array;
}

class WritePlanTest : public testing::TestWithParam<std::tuple<bool, std::uint64_t>> {};

TEST_P(WritePlanTest, EveryByteOfTheWindowOnceAndInItsPlace) {
  const auto [listed, most_bytes] = GetParam();
  const std::uint64_t steps = 10, chunk_steps = 4, all_tiles = 5, tile_bytes = 6;
  const ArrayEntry array = array_of(steps, chunk_steps, all_tiles, tile_bytes, listed);
  const std::vector<std::uint64_t> tiles{0, 1, 3};
  for (std::uint64_t first = 0; first < steps; ++first) {
    for (std::uint64_t count = 1; first + count <= steps; ++count) {
      std::vector<std::byte> memory(tiles.size() * count * tile_bytes);
      for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7 + 1);
      std::vector<WriteRequest> requests;
      plan_writes(
          array, first, count, tiles, all_tiles,
          [&](std::uint64_t slot, std::uint64_t from, std::uint64_t n) {
            return Bytes(memory).subspan((slot * count + from) * tile_bytes, n * tile_bytes);
          },
          requests, most_bytes);
      std::map<std::uint64_t, std::byte> file;
      for (const WriteRequest& request : requests) {
        ASSERT_LE(request.bytes, most_bytes);
        std::uint64_t at = request.offset;
        for (const Bytes& piece : request.pieces) {
          for (const std::byte byte : piece) ASSERT_TRUE(file.emplace(at++, byte).second);
        }
        ASSERT_EQ(at, request.offset + request.bytes);
      }
      ASSERT_EQ(file.size(), memory.size());
      for (std::uint64_t slot = 0; slot < tiles.size(); ++slot) {
        for (std::uint64_t s = 0; s < count; ++s) {
          const std::uint64_t step = first + s;
          const std::uint64_t chunk = step / chunk_steps * all_tiles + tiles[slot];
          for (std::uint64_t b = 0; b < tile_bytes; ++b) {
            const std::uint64_t at = array.addresses.at(chunk) + step % chunk_steps * tile_bytes + b;
            ASSERT_EQ(file.at(at), memory[(slot * count + s) * tile_bytes + b]);
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, WritePlanTest, testing::Combine(testing::Bool(), testing::Values(5U, 24U, 1U << 20)));

TEST(WritePlan, WholeChunksThatFollowOneAnotherAreOneRequest) {
  const ArrayEntry array = array_of(8, 4, 5, 6, false);
  const std::vector<std::uint64_t> tiles{0, 1, 2, 3, 4};
  const std::vector<std::byte> memory(5ULL * 4 * 6);
  std::vector<WriteRequest> requests;
  plan_writes(
      array, 4, 4, tiles, 5,
      [&](std::uint64_t slot, std::uint64_t, std::uint64_t) { return Bytes(memory).subspan(slot * 24, 24); }, requests);
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].offset, 1000U + 5 * 24);
  EXPECT_EQ(requests[0].pieces.size(), 1U) << "memory that meets is one piece";
}

TEST(WritePlan, OfShortRowsTheFirstTilesRankAsksForSeveralAtOnce) {
  const ArrayEntry array = array_of(40, 4, 5, 6, false);  // 10 rows of 120 bytes
  const std::vector<std::uint64_t> first{0, 1, 3};
  const std::vector<std::uint64_t> others{2, 4};
  EXPECT_EQ(plan_room(array, 0, 4, first, 5, 300), (std::vector<FileRange>{{1000, 360}}));
  EXPECT_TRUE(plan_room(array, 4, 8, first, 5, 300).empty()) << "rows 1 and 2 have been asked for";
  EXPECT_EQ(plan_room(array, 8, 8, first, 5, 300), (std::vector<FileRange>{{1360, 360}})) << "from row 3 on";
  EXPECT_EQ(plan_room(array, 36, 4, first, 5, 300), (std::vector<FileRange>{{2080, 120}})) << "the last row";
  EXPECT_TRUE(plan_room(array, 0, 40, others, 5, 300).empty());
  EXPECT_TRUE(plan_room(array, 0, 40, {}, 5, 300).empty());
  EXPECT_EQ(plan_room(array, 0, 40, others, 5, 120).size(), 20U) << "a row is not short: each for itself";
  EXPECT_EQ(plan_room(array_of(40, 4, 5, 6, true), 0, 4, others, 5, 300).size(), 2U) << "chunks lie anywhere";
}

TEST(WritePlan, RoomIsAskedForWhereAChunkBeginsAndNeighboursAreOneRange) {
  const ArrayEntry array = array_of(10, 4, 5, 6, false);  // chunks of 24 bytes; rows begin at steps 0, 4 and 8
  const std::vector<std::uint64_t> tiles{0, 1, 3};
  const std::vector<FileRange> first{{1000, 48}, {1000 + 3 * 24, 24}};
  EXPECT_EQ(plan_room(array, 0, 3, tiles, 5, 0), first);
  EXPECT_TRUE(plan_room(array, 1, 3, tiles, 5, 0).empty()) << "the chunks were begun before";
  const std::vector<FileRange> second{{1000 + 5 * 24, 48}, {1000 + 8 * 24, 24}};
  EXPECT_EQ(plan_room(array, 3, 2, tiles, 5, 0), second);
  EXPECT_EQ(plan_room(array, 2, 8, tiles, 5, 0).size(), 4U) << "two rows of two ranges";
  EXPECT_TRUE(plan_room(array, 0, 3, {}, 5, 0).empty());
}

TEST(WritePlan, WholeRowsThatFollowOneAnotherAreOneRangeOfRoom) {
  const ArrayEntry array = array_of(8, 4, 5, 6, false);
  const std::vector<std::uint64_t> tiles{0, 1, 2, 3, 4};
  EXPECT_EQ(plan_room(array, 0, 8, tiles, 5, 0), (std::vector<FileRange>{{1000, 240}}));
}

}  // namespace
}  // namespace weft::storage
