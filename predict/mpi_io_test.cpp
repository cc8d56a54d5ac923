#include "predict/mpi_io.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "predict/chunk_pieces.hpp"

namespace weft::predict {
namespace {

constexpr std::uint64_t kMebibyte = 1ULL << 20;

Requests alone(MpiIo library, std::vector<Piece> pieces, bool memory_in_one = true) {
  return *written_alone(library, {std::move(pieces), memory_in_one});
}

void expect(const Requests& requests, double writes, double bytes) {
  EXPECT_DOUBLE_EQ(requests.writes, writes);
  EXPECT_DOUBLE_EQ(requests.bytes, bytes);
}

TEST(OmpioTest, PiecesThatTouchAreOneRequest) {
  expect(alone(MpiIo::ompio, {{0, 100}, {100, 50}, {200, 50}}), 2, 200);
  expect(alone(MpiIo::ompio, {{7, 1}}), 1, 1);
  expect(alone(MpiIo::ompio, {}), 0, 0);
}

TEST(OmpioTest, ARequestHasAtMost1024PiecesOfMemory) {
  expect(alone(MpiIo::ompio, {{0, 8192, 1024}}), 1, 8192);
  expect(alone(MpiIo::ompio, {{0, 8200, 1025}}), 2, 8200);
  expect(alone(MpiIo::ompio, {{0, 8000, 1000}, {8000, 400, 25}}), 2, 8400);
  expect(alone(MpiIo::ompio, {{0, 8000, 1000}, {9000, 400, 25}}), 2, 8400);  // they do not touch
}

TEST(OmpioTest, ACallIsCutAt512MebibytesOfItsData) {
  expect(alone(MpiIo::ompio, {{0, 512 * kMebibyte}}), 1, 512.0 * kMebibyte);
  expect(alone(MpiIo::ompio, {{0, 1024 * kMebibyte}}), 2, 1024.0 * kMebibyte);
  expect(alone(MpiIo::ompio, {{0, 300 * kMebibyte}, {400 * kMebibyte, 300 * kMebibyte}}), 3, 600.0 * kMebibyte);
}

TEST(OmpioTest, FromThreeRanksOnOneGathers) {
  const auto together = [](std::uint64_t ranks, std::uint64_t bytes) {
    std::vector<Given> given;
    for (std::uint64_t rank = 0; rank < ranks; ++rank) given.push_back({{{rank * bytes, bytes}}});
    return *written_together(MpiIo::ompio, given);
  };
  expect(together(2, 1000), 2, 2000);
  expect(together(3, 1000), 1, 3000);
  expect(together(8, 4 * kMebibyte), 2, 32.0 * kMebibyte);
  // Ranks in turn: rows of all of them lie one behind the other.
  expect(*written_together(MpiIo::ompio, {{{{0, 10}, {30, 10}}}, {{{10, 10}, {40, 10}}}, {{{20, 10}, {50, 10}}}}), 1,
         60);
}

TEST(OmpioTest, WhatIsGatheredNearEachOtherIsWrittenWithWhatLiesBetween) {
  const auto together = [](std::uint64_t pieces, std::uint64_t bytes, std::uint64_t apart) {
    std::vector<Given> given(3);
    for (std::uint64_t piece = 0; piece < pieces; ++piece) given[0].pieces.push_back({piece * apart, bytes});
    return *written_together(MpiIo::ompio, given);
  };
  expect(together(4, 100, 200), 1, 700);
  // The distance is a mean over all of them, the first one included.
  constexpr std::uint64_t kFarthest = 4 * 4096 / 3;
  expect(together(4, 100, kFarthest), 1, 3.0 * kFarthest + 100);
  expect(together(4, 100, 5500), 4, 400);
  expect(together(1, 100, 0), 1, 100);
  // 64 MiB of whole pieces: 16 bytes in 4,096.
  expect(together(20'000, 16, 4096), 2, 20'000.0 * 4096 - 2 * 4080);
  // A long piece before them counts in the mean distance.
  std::vector<Given> long_first(3);
  long_first[1].pieces = {{0, 1'000'000}, {1'000'100, 100}, {1'000'300, 100}};
  expect(*written_together(MpiIo::ompio, long_first), 3, 1'000'200);
  // Cycles decide for themselves: 16 MiB in one run, then two short ones.
  long_first[1].pieces = {{0, 16 * kMebibyte}, {17 * kMebibyte, 100}, {17 * kMebibyte + 300, 100}};
  expect(*written_together(MpiIo::ompio, long_first), 2, 16.0 * kMebibyte + 400);
  // A rank alone, or two, do not.
  expect(alone(MpiIo::ompio, {{0, 100}, {200, 100}}), 2, 200);
}

TEST(RomioTest, SeveralPiecesGoThroughABufferWithWhatLiesBetween) {
  constexpr double kBuffer = 512 << 10;
  expect(alone(MpiIo::romio, {{0, kMebibyte}}), 1, 1.0 * kMebibyte);
  expect(alone(MpiIo::romio, {{0, kMebibyte}}, false), 2, 1.0 * kMebibyte);
  expect(alone(MpiIo::romio, {{0, 100}, {100, 100}}), 1, 200);
  expect(alone(MpiIo::romio, {{0, 100}, {1000, 100}}), 1, 1100);
  expect(alone(MpiIo::romio, {{0, 100}, {kMebibyte, 100}}), 2, kBuffer + 100);  // the first has all of a buffer
  expect(alone(MpiIo::romio, {{0, 100}, {kMebibyte, kMebibyte}}), 3, 3 * kBuffer);
}

TEST(RomioTest, RanksInTurnAreGathered) {
  expect(*written_together(MpiIo::romio, {{{{0, 10}}}, {{{10, 10}}}}), 2, 20);
  expect(*written_together(MpiIo::romio, {{{{0, 10}, {30, 10}}}, {{{10, 10}, {40, 10}}}}), 1, 50);  // with the hole
  const std::uint64_t far = 40 * kMebibyte;
  expect(*written_together(MpiIo::romio, {{{{0, 10}, {far, 10}}}, {{{20, 10}, {far + 20, 10}}}}), 2,
         16.0 * kMebibyte + 8.0 * kMebibyte + 30);  // a buffer that nobody has bytes of is not written
}

TEST(MpiIoTest, WhatIsNotKnownIsNotSaid) {
  const std::vector<Given> many(kMostRanks + 1, Given{{{0, 1}}});
  EXPECT_FALSE(written_together(MpiIo::ompio, many));
  EXPECT_FALSE(written_together(MpiIo::romio, many));
  EXPECT_FALSE(written_alone(MpiIo::other, {{{0, 1}}}));
}

TEST(ChunkPiecesTest, ARowOfEachStepOrWholeChunks) {
  const ChunkedArray array{{5, 6}, {5, 4}, 8};
  const Given whole = *given_of(array, {{0, 0}, {5, 6}}, {5, 6});
  ASSERT_EQ(whole.pieces.size(), 6U);
  EXPECT_EQ(whole.pieces[0].bytes, 160U);
  EXPECT_EQ(whole.pieces[0].rows, 5U);
  EXPECT_EQ(whole.pieces[1].offset, 160U);
  EXPECT_EQ(whole.pieces[5].offset, 160U + 4 * 32);
  EXPECT_EQ(whole.pieces[5].bytes, 16U);
  EXPECT_FALSE(whole.memory_in_one) << "its rows lie in another order";
  EXPECT_TRUE(given_of({{5, 6}, {5, 6}, 8}, {{0, 0}, {5, 6}}, {5, 6})->memory_in_one);
  // Two chunks' rows that touch: HDF5 gives a type of two parts.
  const Given two = *given_of({{1, 6}, {1, 4}, 8}, {{0, 0}, {1, 6}}, {1, 6});
  ASSERT_EQ(two.pieces.size(), 2U);
  EXPECT_EQ(two.pieces[1].offset, two.pieces[0].bytes);
  EXPECT_FALSE(two.memory_in_one);
  const Given part = *given_of(array, {{1, 3}, {2, 2}}, {5, 2});
  ASSERT_EQ(part.pieces.size(), 4U);
  EXPECT_EQ(part.pieces[0].offset, (4 + 3) * 8U);
  EXPECT_EQ(part.pieces[2].offset, 160U + 32);
  EXPECT_FALSE(part.memory_in_one);
  EXPECT_TRUE(given_of(array, {{0, 0}, {5, 0}}, {5, 0})->pieces.empty());
}

// Against each element's place.
TEST(ChunkPiecesTest, PiecesAreTheElementsOfTheBox) {
  const ChunkedArray array{{4, 5, 3}, {3, 2, 2}, 1};
  const Box box{{1, 0, 1}, {3, 5, 2}};
  std::vector<std::uint64_t> places;
  for (std::uint64_t i = 1; i < 4; ++i) {
    for (std::uint64_t j = 0; j < 5; ++j) {
      for (std::uint64_t k = 1; k < 3; ++k) {
        const std::uint64_t chunk = (i / 3 * 3 + j / 2) * 2 + k / 2;
        places.push_back(chunk * 12 + (i % 3 * 2 + j % 2) * 2 + k % 2);
      }
    }
  }
  std::ranges::sort(places);
  std::vector<std::uint64_t> of_pieces;
  const Given given = given_of(array, box, box.count).value();
  for (const Piece& piece : given.pieces) {
    for (std::uint64_t at = 0; at < piece.bytes; ++at) of_pieces.push_back(piece.offset + at);
  }
  EXPECT_EQ(of_pieces, places) << "and in the order of the file";
}

}  // namespace
}  // namespace weft::predict
