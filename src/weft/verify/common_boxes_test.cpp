#include "weft/verify/common_boxes.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "weft/survey/pieces.hpp"

namespace weft::verify {
namespace {

constexpr std::uint64_t kMiB = 1ULL << 20;

double share(std::uint64_t read, std::uint64_t stored) {
  return static_cast<double>(read) / static_cast<double>(stored);
}

// What a walk over the boxes makes a side read, counted chunk by chunk.
std::uint64_t counted(const Shape& shape, std::uint64_t element_bytes, const Shape& chunk, const Shape& box) {
  const survey::Pieces boxes(shape, box);
  const survey::Pieces chunks(shape, chunk);
  std::uint64_t touched = 0;
  for (std::uint64_t b = 0; b < boxes.count(); ++b) {
    for (std::uint64_t c = 0; c < chunks.count(); ++c) {
      const Box one = boxes.box(b);
      const Box other = chunks.box(c);
      bool meets = true;
      for (std::size_t i = 0; i < shape.size(); ++i) {
        meets = meets && one.start[i] < other.start[i] + other.count[i] && other.start[i] < one.start[i] + one.count[i];
      }
      touched += meets ? 1 : 0;
    }
  }
  return touched * element_count(chunk) * element_bytes;
}

TEST(CommonBoxesTest, WhatFitsIsOneBox) {
  const CommonBoxes boxes = common_boxes({151, 1000, 2}, 8, {{19, 100, 2}, true}, {{151, 434, 2}, true}, 64 * kMiB);
  EXPECT_EQ(boxes.box, (Shape{151, 1000, 2}));
}

TEST(CommonBoxesTest, TheSameChunksAreReadOnce) {
  const Shape shape{151, 400000, 2};
  const Side side{{19, 3449, 2}, true};
  const CommonBoxes boxes = common_boxes(shape, 8, side, side, 64 * kMiB);
  EXPECT_LE(element_count(boxes.box) * 8, 64 * kMiB);
  EXPECT_EQ(boxes.left_bytes, 8ULL * 116 * 19 * 3449 * 2 * 8);
  EXPECT_EQ(boxes.right_bytes, boxes.left_bytes);
}

TEST(CommonBoxesTest, TheWorkedExample) {
  const Shape shape{151, 400000, 2};
  const CommonBoxes boxes = common_boxes(shape, 8, {{16, 4096, 2}, true}, {{151, 434, 2}, true}, 64 * kMiB);
  EXPECT_LE(element_count(boxes.box) * 8, 64 * kMiB);
  EXPECT_EQ(boxes.left_bytes, 10ULL * 98 * 16 * 4096 * 2 * 8) << "each chunk once";
  EXPECT_LT(share(boxes.right_bytes, 922ULL * 151 * 434 * 2 * 8), 1.03);
}

TEST(CommonBoxesTest, RowsAgainstTracesOfWhichPartsCanBeRead) {
  // (41, N, 2) passes any cache, so part of such a chunk is read where part is wanted.
  const Shape shape{151, 3253316, 2};
  const CommonBoxes boxes = common_boxes(shape, 8, {{41, 3253316, 2}, false}, {{151, 434, 2}, true}, 64 * kMiB);
  EXPECT_EQ(boxes.left_bytes, element_count(shape) * 8);
  EXPECT_LT(share(boxes.right_bytes, 7497ULL * 151 * 434 * 2 * 8), 1.03);
}

TEST(CommonBoxesTest, ThePredictionIsWhatAWalkTouches) {
  const Shape shape{17, 230, 3};
  for (const Shape& left : std::vector<Shape>{{4, 30, 3}, {17, 7, 1}, {1, 230, 3}, {20, 231, 4}}) {
    for (const Shape& right : std::vector<Shape>{{5, 44, 2}, {17, 11, 3}, {2, 230, 3}}) {
      for (const std::uint64_t most : {1ULL, 500ULL, 4000ULL, 60000ULL}) {
        const CommonBoxes boxes = common_boxes(shape, 8, {left, true}, {right, true}, most);
        EXPECT_LE(element_count(boxes.box) * 8, std::max<std::uint64_t>(8, most));
        EXPECT_EQ(boxes.left_bytes, counted(shape, 8, left, boxes.box)) << to_string(left) << " " << to_string(right);
        EXPECT_EQ(boxes.right_bytes, counted(shape, 8, right, boxes.box)) << to_string(left) << " " << to_string(right);
      }
    }
  }
}

}  // namespace
}  // namespace weft::verify
