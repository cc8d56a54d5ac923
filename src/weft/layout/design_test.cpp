#include "weft/layout/design.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "weft/support/error.hpp"

namespace weft::layout {
namespace {

// Milliseconds are the rule; room for a busy machine, and for sanitizers.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kMostSeconds = 30.0;
#else
constexpr double kMostSeconds = 2.0;
#endif

DesignRequest request_for(const Shape& shape, std::string read_text = "snapshot=1,trace=1") {
  DesignRequest request;
  request.shape = shape;
  request.read_text = std::move(read_text);
  return request;
}

const ReadCost& cost_of(const Design& design, std::string_view name) {
  for (const PredictedRead& predicted : design.reads) {
    if (predicted.read.name == name) return predicted.cost;
  }
  throw std::out_of_range(std::string(name));
}

// What the search makes least, written out again.
double weighted_sum(const Design& design) {
  double sum = 0;
  for (const auto& [read, cost] : design.reads) {
    sum += read.weight * cost.seconds(design.request.access) / design.request.access.seconds(1, cost.asked_bytes);
  }
  return sum;
}

bool keeps_the_rules(const Design& design) {
  const ReadCost snapshot =
      predict(design.grid, snapshot_box(design.request.shape, design.request.axes), design.request.access);
  return design.grid.chunk_bytes() <= design.request.target_bytes && design.grid.waste() <= 0.05 &&
         snapshot.bytes <= 2 * snapshot.asked_bytes;
}

TEST(Design, TheWorkedExample) {
  const Design result = design(request_for({151, 400000, 2}));
  EXPECT_EQ(result.chunk, (Shape{19, 3449, 2}));
  EXPECT_EQ(cost_of(result, "trace").requests, 8U);
  EXPECT_EQ(cost_of(result, "trace").bytes, 7891440U);
  EXPECT_EQ(cost_of(result, "snapshot").requests, 116U);
  EXPECT_EQ(cost_of(result, "snapshot").bytes, 6400000U);
  EXPECT_NEAR(weighted_sum(result), 32.394, 0.0005);
}

TEST(Design, OneReadAloneIsServedWithOneRequestForItsBytes) {
  const Design columns = design(request_for({151, 400000, 2}, "trace"));
  EXPECT_EQ(columns.chunk, (Shape{151, 1, 2}));
  EXPECT_EQ(weighted_sum(columns), 1.0);
  const Design rows = design(request_for({151, 400000, 2}, "snapshot"));
  EXPECT_EQ(rows.chunk[0], 1U);  // consecutive chunks: one run of 6.4 MB, below 8 MiB
  EXPECT_EQ(weighted_sum(rows), 1.0);
}

TEST(Design, AHeavierTraceGetsFewerRequests) {
  std::uint64_t before = std::numeric_limits<std::uint64_t>::max();
  for (const char* text : {"snapshot=1,trace=0.1", "snapshot=1,trace=1", "snapshot=1,trace=10"}) {
    const Design result = design(request_for({151, 400000, 2}, text));
    EXPECT_LT(cost_of(result, "trace").requests, before) << text;
    before = cost_of(result, "trace").requests;
  }
}

// All balanced chunks of a small dataset.
std::vector<Shape> all_balanced(const Shape& shape) {
  std::vector<Shape> all{{}};
  for (const std::uint64_t extent : shape) {
    std::set<std::uint64_t> extents;
    for (std::uint64_t count = 1; count <= extent; ++count) extents.insert(ceil_div(extent, count));
    std::vector<Shape> longer;
    for (const Shape& chunk : all) {
      for (const std::uint64_t next : extents) {
        longer.push_back(chunk);
        longer.back().push_back(next);
      }
    }
    all = std::move(longer);
  }
  return all;
}

TEST(Design, IsTheBestOfAllBalancedChunksOrCloseToIt) {
  std::mt19937_64 engine{7};
  const auto random = [&](std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(least, most)(engine);
  };
  int exact = 0;
  double worst = 1;
  constexpr int trials = 200;
  for (int trial = 0; trial < trials; ++trial) {
    const std::size_t rank = random(1, 4);
    DesignRequest request;
    for (std::size_t axis = 0; axis < rank; ++axis) request.shape.push_back(random(1, rank <= 2 ? 2000 : 80));
    request.element_bytes = 1ULL << random(0, 3);
    request.target_bytes = 1ULL << random(6, 16);
    request.access = {1e-3, static_cast<double>(1ULL << random(10, 24))};  // bridges from 1 byte to 16 kB
    request.ranks = random(1, 9);
    if (rank == 4) request.axes = parse_axes("t,z,y,x", 4);
    request.read_text = rank == 1   ? "snapshot,trace"
                        : rank == 4 ? "snapshot,trace=2,plane:z,plane:x"
                                    : "snapshot=3,trace=2,block";
    const Design found = design(request);
    ASSERT_TRUE(keeps_the_rules(found)) << to_string(request.shape) << " in " << to_string(found.chunk);

    double best = std::numeric_limits<double>::infinity();
    for (const Shape& chunk : all_balanced(request.shape)) {
      if (element_count(chunk) * request.element_bytes > request.target_bytes) continue;
      const Design other = describe(request, chunk);
      if (keeps_the_rules(other)) best = std::min(best, weighted_sum(other));
    }
    exact += weighted_sum(found) <= best * (1 + 1e-9) ? 1 : 0;
    worst = std::max(worst, weighted_sum(found) / best);
  }
  EXPECT_LE(worst, 1.02);
  EXPECT_GE(exact, trials * 98 / 100);
}

TEST(Design, KeepsTheRulesAndTheTimeForLargeDatasets) {
  const std::uint64_t large = 1ULL << 40;
  struct Case {
    Shape shape;
    const char* axes;
    std::uint64_t target_bytes;
  };
  const std::vector<Case> cases{
      {{151, large, 2}, "step,node,component", 1 << 20},
      {{large, 400000}, "step,node", 1 << 20},
      {{large}, "step", 1 << 20},
      {{1000, 400, 400, 400}, "t,z,y,x", 1 << 20},
      {{20, large, 10, 10}, "t,z,y,x", 1 << 20},
      {{400000, 151}, "node,step", 1 << 20},
      {{20000, 4000000, 2}, "step,node,component", 1ULL << 40},
      {{100, 64, 64, 64, 64, 64, 64, 3}, "t,a,b,d,e,f,g,c", 1 << 24},
  };
  for (const Case& each : cases) {
    DesignRequest request = request_for(each.shape);
    request.axes = parse_axes(each.axes, each.shape.size());
    request.target_bytes = each.target_bytes;
    const auto start = std::chrono::steady_clock::now();
    const Design result = design(request);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_TRUE(keeps_the_rules(result)) << to_string(result.chunk);
    EXPECT_LT(result.grid.chunk_bytes(), chunk_byte_limit);
    EXPECT_LT(took.count(), kMostSeconds) << to_string(each.shape);
    EXPECT_EQ(design(request).chunk, result.chunk);
  }
}

TEST(Design, SmallShapesAreOneChunk) {
  for (const Shape& shape : {Shape{1}, Shape{151}, Shape{1, 1}, Shape{1, 1000}, Shape{1000, 1}, Shape{10, 20, 3}}) {
    EXPECT_EQ(design(request_for(shape)).chunk, shape) << to_string(shape);
  }
}

TEST(Design, ASnapshotMovesAtMostTwiceItsBytesWhateverElseIsRead) {
  // Steps are the fastest axis: a chunk of k steps makes a snapshot read k times its bytes over the bridges.
  DesignRequest request = request_for({400000, 151});
  request.axes = parse_axes("node,step", 2);
  const Design result = design(request);
  EXPECT_LE(cost_of(result, "snapshot").amplification(), 2.0);
  EXPECT_GT(weighted_sum(result), weighted_sum(describe(request, {3449, 19})));  // the rule costs something here
}

TEST(Design, AlignedChunksWhereThereAreAny) {
  DesignRequest request = request_for({151, 400000, 2});
  request.align_bytes = 1 << 20;
  const Design stripes = design(request);
  EXPECT_EQ(stripes.chunk, (Shape{8, 8192, 2}));  // 16 steps of 4096 nodes would waste 6 %
  EXPECT_TRUE(stripes.aligned());
  request.align_bytes = 4096;
  const Design blocks = design(request);
  EXPECT_EQ(blocks.grid.chunk_bytes() % 4096, 0U);
  EXPECT_TRUE(keeps_the_rules(blocks));
  EXPECT_LT(weighted_sum(blocks), 1.02 * weighted_sum(design(request_for({151, 400000, 2}))));

  request = request_for({5, 7});  // 280 bytes: no chunk of 512
  request.align_bytes = 512;
  EXPECT_EQ(design(request).chunk, (Shape{5, 7}));
  EXPECT_FALSE(design(request).aligned());
  request.target_bytes = 256;
  EXPECT_THROW(design(request), Error);
}

TEST(Design, IsotropicIsReportedAlike) {
  DesignRequest request = request_for({151, 3253316, 2});
  request.algorithm = Algorithm::isotropic;
  const Design result = design(request);
  EXPECT_EQ(result.chunk, (Shape{151, 434, 2}));
  EXPECT_EQ(cost_of(result, "trace").chunks, 1U);
  EXPECT_EQ(cost_of(result, "snapshot").requests, 7497U);
  EXPECT_EQ(cost_of(result, "snapshot").hdf5_bytes, 7497ULL * 1048544);  // the whole file, for one step
}

TEST(Design, DescribeReportsAGivenChunk) {
  const Design rows = describe(request_for({151, 400000, 2}), {41, 400000, 2});
  EXPECT_EQ(cost_of(rows, "snapshot").requests, 1U);
  EXPECT_EQ(cost_of(rows, "trace").requests, 151U);  // a row of 6.4 MB lies between two steps: too far to bridge
  EXPECT_EQ(to_json(rows)["algorithm"], "given");
  EXPECT_THROW(describe(request_for({151, 400000, 2}), {152, 1, 1}), Error);
}

TEST(Design, JsonHasTheKeysProgramsRelyOn) {
  const nlohmann::json json = to_json(design(request_for({151, 400000, 2}, "snapshot=1,trace=1")));
  EXPECT_EQ(json["shape"], (Shape{151, 400000, 2}));
  EXPECT_EQ(json["element_bytes"], 8);
  EXPECT_EQ(json["algorithm"], "reads");
  EXPECT_EQ(json["target_bytes"], 1048576);
  EXPECT_EQ(json["chunk"], (Shape{19, 3449, 2}));
  EXPECT_EQ(json["chunks"], 928);
  EXPECT_EQ(json["chunk_bytes"], 1048496);
  EXPECT_NEAR(json["waste"].get<double>(), 928.0 * 19 * 3449 / (151.0 * 400000) - 1, 1e-12);
  EXPECT_EQ(json["store"]["latency_s"], 1e-3);
  EXPECT_EQ(json["store"]["bandwidth"], 1e9);
  const nlohmann::json& trace = json["reads"]["trace"];
  EXPECT_EQ(trace["weight"], 1);
  EXPECT_EQ(trace["chunks"], 8);
  EXPECT_EQ(trace["requests"], 8);
  EXPECT_EQ(trace["bytes"], 7891440);
  EXPECT_NEAR(trace["amplification"].get<double>(), 7891440.0 / 2416, 1e-9);
  EXPECT_EQ(trace["hdf5_bytes"], 8 * 1048496);
}

TEST(Design, FilteredChunksArePricedWhole) {
  DesignRequest request = request_for({151, 400000, 2});
  request.coding = Coding{0.25, 250e6};
  const Design filtered = design(request);
  EXPECT_EQ(filtered.chunk, (Shape{7, 2260, 2}));
  const ReadCost& snapshot = filtered.reads[0].cost;
  EXPECT_EQ(snapshot.requests, 177U);
  EXPECT_EQ(snapshot.bytes, 177U * 7 * 2260 * 2 * 8 / 4);
  EXPECT_DOUBLE_EQ(snapshot.decode_seconds, 177 * 7 * 2260 * 2 * 8 / 250e6);
  EXPECT_EQ(to_json(filtered)["coding"]["stored_share"], 0.25);
  EXPECT_FALSE(to_json(design(request_for({151, 400000, 2}))).contains("coding"));

  request.coding = Coding{1, 0};
  EXPECT_THROW(design(request), Error);
  request.coding = Coding{-1, 1e9};
  EXPECT_THROW(design(request), Error);
}

TEST(Design, RefusesWhatCannotBeUsed) {
  const auto refused = [](auto&& change) {
    DesignRequest request = request_for({151, 400000, 2});
    change(request);
    EXPECT_THROW(design(request), Error);
  };
  refused([](DesignRequest& request) { request.shape = {}; });
  refused([](DesignRequest& request) { request.shape = {151, 0, 2}; });
  refused([](DesignRequest& request) { request.shape = {1ULL << 40, 1ULL << 40}; });
  refused([](DesignRequest& request) { request.element_bytes = 0; });
  refused([](DesignRequest& request) { request.target_bytes = 7; });
  refused([](DesignRequest& request) { request.axes = default_axes(2); });
  refused([](DesignRequest& request) {
    request.axes = {{"x", AxisRole::spatial}, {"y", AxisRole::spatial}, {"z", AxisRole::spatial}};
  });
  refused([](DesignRequest& request) { request.reads = {{"mine", 1, {{0, 0, 0}, {1, 0, 1}}}}; });
  refused([](DesignRequest& request) { request.reads = {{"mine", 1, {{0, 0, 0}, {152, 1, 1}}}}; });
  refused([](DesignRequest& request) { request.reads = {{"mine", -1, {{0, 0, 0}, {1, 1, 1}}}}; });
  refused([](DesignRequest& request) { request.access.bandwidth = 0; });
  refused([](DesignRequest& request) { request.access.latency_s = -1; });
  refused([](DesignRequest& request) { request.access = {1e12, 1e12}; });
  refused([](DesignRequest& request) { request.access.max_request_bytes = 0; });
  EXPECT_THROW(parse_algorithm("rows"), Error);
}

}  // namespace
}  // namespace weft::layout
