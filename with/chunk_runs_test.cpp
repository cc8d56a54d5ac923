#include "with/chunk_runs.hpp"

#include <gmock/gmock.h>

namespace weft::with {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ChunkRuns, AWholeChunkIsOneRun) {
  EXPECT_THAT(runs_in_chunk({{20, 100, 0}, {10, 50, 2}}, {{{20, 0, 0}, {10, 400, 2}}}, 8),
              ElementsAre(ByteRun{0, 8000}));
}

TEST(ChunkRuns, TheFirstStepsAreOneRunFromItsStart) {
  EXPECT_THAT(runs_in_chunk({{20, 100}, {10, 50}}, {{{18, 0}, {5, 400}}}, 8), ElementsAre(ByteRun{0, 1200}));
}

TEST(ChunkRuns, AShareOfTheNodesIsARunAStep) {
  // Nodes 100 to 119 of 100 to 149, steps 20 and 21.
  EXPECT_THAT(runs_in_chunk({{20, 100}, {2, 50}}, {{{20, 90}, {2, 30}}}, 4),
              ElementsAre(ByteRun{0, 80}, ByteRun{200, 80}));
}

TEST(ChunkRuns, VariablesThatCameApartAreJoined) {
  const Box chunk{{0, 0, 0}, {3, 4, 2}};
  EXPECT_THAT(runs_in_chunk(chunk, {{{0, 0, 1}, {3, 4, 1}}, {{0, 0, 0}, {3, 4, 1}}}, 8), ElementsAre(ByteRun{0, 192}));
  EXPECT_THAT(runs_in_chunk(chunk, {{{0, 0, 1}, {1, 2, 1}}}, 8), ElementsAre(ByteRun{8, 8}, ByteRun{24, 8}));
}

TEST(ChunkRuns, WhatLiesElsewhereIsNothing) {
  EXPECT_THAT(runs_in_chunk({{20, 100}, {10, 50}}, {{{0, 0}, {20, 400}}, {{20, 150}, {10, 50}}}, 8), IsEmpty());
}

TEST(ChunkRuns, PaddingBelongsToWhoeverHasTheEnd) {
  const Box chunk{{0, 100}, {10, 50}};
  const Shape extents{10, 120};
  EXPECT_EQ(with_padding({{0, 80}, {10, 40}}, extents, chunk), (Box{{0, 80}, {10, 70}}));
  EXPECT_EQ(with_padding({{0, 80}, {10, 30}}, extents, chunk), (Box{{0, 80}, {10, 30}})) << "it ends before";
  EXPECT_EQ(with_padding({{0, 80}, {5, 40}}, {5, 120}, chunk), (Box{{0, 80}, {5, 70}})) << "never along the steps";
}

}  // namespace
}  // namespace weft::with
