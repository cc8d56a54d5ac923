#include "weft/layout/reads.hpp"

#include "weft/layout/read_weights.hpp"

#include <gtest/gtest.h>

#include "weft/support/error.hpp"

namespace weft::layout {
namespace {

const Shape paper{151, 400000, 2};
const Axes paper_axes = default_axes(3);

Box only_box(std::string_view text, const Shape& shape, const Axes& axes, std::uint64_t ranks = 0) {
  const std::vector<NamedRead> reads = parse_reads(text, shape, axes, ranks);
  EXPECT_EQ(reads.size(), 1U);
  return reads.front().box;
}

void expect_refused(std::string_view text, const Shape& shape, const Axes& axes, std::string_view saying,
                    std::uint64_t ranks = 0) {
  try {
    parse_reads(text, shape, axes, ranks);
    FAIL() << "accepted " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string_view(error.what()).find(saying), std::string_view::npos) << error.what();
  }
}

TEST(Axes, DefaultIsStepNodeComponents) {
  EXPECT_EQ(axis_names(default_axes(1)), "step");
  EXPECT_EQ(axis_names(default_axes(4)), "step,node,component,component");
  EXPECT_EQ(default_axes(3), parse_axes("step,node,component", 3));
}

TEST(Axes, NamesGiveTheRoles) {
  const Axes axes = parse_axes("z,y,time,x,c", 5);
  EXPECT_EQ(step_axis(axes), 2U);
  EXPECT_EQ(spatial_axes(axes), (std::vector<std::size_t>{0, 1, 3}));
  EXPECT_EQ(axes[4].role, AxisRole::component);
  EXPECT_EQ(step_axis(parse_axes("cell,t", 2)), 1U);
  EXPECT_EQ(step_axis(parse_axes("step", 1)), 0U);
}

TEST(Axes, RefusesWhatDoesNotFit) {
  for (const char* text : {"node,component", "step,time", "step", "step,node,component", "step,", ""}) {
    EXPECT_THROW(parse_axes(text, 2), Error) << text;
  }
  EXPECT_THROW(parse_axes("step,x,x", 3), Error);
  EXPECT_NO_THROW(parse_axes("step,component,component", 3));
}

TEST(Reads, SnapshotAndTraceLieInTheMiddle) {
  const auto reads = parse_reads("snapshot=1,trace=4.5", paper, paper_axes, 0);
  ASSERT_EQ(reads.size(), 2U);
  EXPECT_EQ(reads[0].name, "snapshot");
  EXPECT_EQ(reads[0].weight, 1.0);
  EXPECT_EQ(reads[0].box, (Box{{75, 0, 0}, {1, 400000, 2}}));
  EXPECT_EQ(reads[1].name, "trace");
  EXPECT_EQ(reads[1].weight, 4.5);
  EXPECT_EQ(reads[1].box, (Box{{0, 199999, 0}, {151, 1, 2}}));
}

TEST(Reads, AxesInAnyOrder) {
  EXPECT_EQ(only_box("trace", {400, 2, 151}, parse_axes("node,c,t", 3)), (Box{{199, 0, 0}, {1, 2, 151}}));
  EXPECT_EQ(only_box("snapshot", {400, 2, 151}, parse_axes("node,c,t", 3)), (Box{{0, 0, 75}, {400, 2, 1}}));
  EXPECT_EQ(only_box("trace", {9, 5, 6, 7}, parse_axes("t,z,y,x", 4)), (Box{{0, 2, 2, 3}, {9, 1, 1, 1}}));
}

TEST(Reads, AScalarPerStep) {
  EXPECT_EQ(only_box("snapshot", {151}, default_axes(1)), (Box{{75}, {1}}));
  EXPECT_EQ(only_box("trace", {151}, default_axes(1)), (Box{{0}, {151}}));
  expect_refused("block", {151}, default_axes(1), "no spatial axis", 4);
}

TEST(Reads, BlockIsTheShareOfAMiddleRank) {
  EXPECT_EQ(only_box("block", paper, paper_axes, 4), (Box{{0, 100000, 0}, {151, 100000, 2}}));
  EXPECT_EQ(only_box("block", paper, paper_axes, 1), (Box{{0, 0, 0}, {151, 400000, 2}}));
  // 10 nodes on 7 ranks: ceil(10 / 7) = 2 nodes on each of 5 ranks, and none on the other two.
  EXPECT_EQ(only_box("block", {5, 10}, default_axes(2), 7), (Box{{0, 4}, {5, 2}}));
  EXPECT_EQ(only_box("block", {5, 3}, default_axes(2), 100), (Box{{0, 1}, {5, 1}}));
  expect_refused("block", paper, paper_axes, "pass --ranks");
}

TEST(Reads, PlaneFixesOneSpatialAxis) {
  const Axes axes = parse_axes("t,z,y,x", 4);
  EXPECT_EQ(only_box("plane", {9, 5, 6, 7}, axes), (Box{{4, 0, 0, 3}, {1, 5, 6, 1}}));
  EXPECT_EQ(only_box("plane:z", {9, 5, 6, 7}, axes), (Box{{4, 2, 0, 0}, {1, 1, 6, 7}}));
  const auto both = parse_reads("plane:z=2,plane:y", {9, 5, 6, 7}, axes, 0);
  EXPECT_EQ(both[0].name, "plane:z");
  EXPECT_EQ(both[0].weight, 2.0);
  EXPECT_EQ(both[1].box, (Box{{4, 0, 2, 0}, {1, 5, 1, 7}}));
  expect_refused("plane:w", {9, 5, 6, 7}, axes, "t,z,y,x");
  expect_refused("plane:t", {9, 5, 6, 7}, axes, "no spatial axis");
  expect_refused("plane", paper, paper_axes, "two spatial axes");
}

TEST(Reads, ExplicitBoxesKeepTheirCommas) {
  const auto reads = parse_reads("trace,box[0:151,100:200,0:2]=3,box[7,:,1],snapshot=2", paper, paper_axes, 0);
  ASSERT_EQ(reads.size(), 4U);
  EXPECT_EQ(reads[1].name, "box[0:151,100:200,0:2]");
  EXPECT_EQ(reads[1].weight, 3.0);
  EXPECT_EQ(reads[1].box, (Box{{0, 100, 0}, {151, 100, 2}}));
  EXPECT_EQ(reads[2].box, (Box{{7, 0, 1}, {1, 400000, 1}}));
  EXPECT_EQ(reads[3].name, "snapshot");
  for (const char* box : {"box[0:152,0,0]", "box[0:1,0]", "box[0:1,0,0,0]", "box[5:5,0,0]", "box[6:5,0,0]", "box[,0,0]",
                          "box[a:b,0,0]", "box[151,0,0]", "box[0:1,0,2]", "box[-1,0,0]", "box[0:1,0,0", "box[1:,0,0]",
                          "box[0:18446744073709551615,0,0]", "box[99999999999999999999,0,0]", "box[]"}) {
    expect_refused(box, paper, paper_axes, "box[0:151,100:200,:]");
  }
}

TEST(Reads, RefusesUnknownNamesAndBadWeights) {
  expect_refused("snapshots", paper, paper_axes, "snapshot, trace, block, plane, plane:AXIS and box[START:STOP,...]");
  expect_refused("", paper, paper_axes, "is not known");
  expect_refused("trace,", paper, paper_axes, "is not known");
  expect_refused("trace,trace=2", paper, paper_axes, "twice");
  for (const char* text : {"trace=", "trace=0", "trace=-1", "trace=inf", "trace=nan", "trace=1x", "trace=1e999"}) {
    expect_refused(text, paper, paper_axes, "weight");
  }
}

TEST(ReadWeights, SayTheSameAsText) {
  EXPECT_EQ((ReadWeights{.snapshot = 1, .trace = 4}.text()), "snapshot=1,trace=4");
  EXPECT_EQ((ReadWeights{.block = 0.5, .plane = 2, .plane_axis = "z"}.text()), "block=0.5,plane:z=2");
  const std::vector<NamedRead> reads = parse_reads(ReadWeights{.snapshot = 1e-3, .trace = 1e6}.text(), {151, 400000, 2},
                                                   parse_axes("step,node,component", 3), 0);
  ASSERT_EQ(reads.size(), 2U);
  EXPECT_EQ(reads[0].weight, 1e-3);
  EXPECT_EQ(reads[1].weight, 1e6);
  EXPECT_THROW(ReadWeights{}.text(), Error);
  EXPECT_THROW((ReadWeights{.trace = -1}.text()), Error);
  EXPECT_THROW((ReadWeights{.trace = std::numeric_limits<double>::infinity()}.text()), Error);
}

}  // namespace
}  // namespace weft::layout
