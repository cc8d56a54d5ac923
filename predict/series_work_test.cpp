#include "predict/series_work.hpp"

#include <gtest/gtest.h>

#include <map>

namespace weft::predict {
namespace {

SeriesShape shape(std::uint64_t ranks) {
  FieldSpec field;
  field.name = "V";
  field.per_step = {400'000};
  field.layout.kind = LayoutKind::given;
  field.layout.chunk = {20, 4000};  // 100 tiles of 32,000 bytes
  SeriesShape series;
  series.fields = {field};
  series.steps = 100;
  series.ranks = ranks;
  return series;
}

double bytes_of(const RankGroup& group) {
  double sum = 0;
  for (const Step& step : group.steps) {
    if (step.act == Act::write) sum += step.times * static_cast<double>(step.bytes);
  }
  return sum * static_cast<double>(group.ranks);
}

double all_bytes(const SeriesWork& work) {
  double sum = 0;
  for (const RankGroup& group : work.groups) sum += bytes_of(group);
  return sum;
}

std::uint64_t writers_of(const SeriesWork& work) { return work.groups[0].ranks + work.groups[1].ranks; }

TEST(SeriesWork, EveryByteIsWrittenOnceByHoweverManyRanks) {
  for (const std::uint64_t ranks : {1, 2, 3, 7, 48}) {
    const SeriesWork work = series_work(shape(ranks), {});
    std::uint64_t all = 0;
    for (const RankGroup& group : work.groups) all += group.ranks;
    EXPECT_EQ(all, ranks);
    // The values, a time for each step, and a slot for each of the 5 windows.
    EXPECT_NEAR(all_bytes(work), 400'000.0 * 100 * 8 + 100 * 8 + 5 * 8, 1) << ranks;
  }
}

TEST(SeriesWork, WholeChunksLieTogetherAndPartsDoNot) {
  SeriesShape whole = shape(1);
  whole.most_request_bytes = 8ULL << 20;
  const auto first_write = [](const SeriesWork& work) {
    for (const Step& step : work.groups[1].steps) {
      if (step.act == Act::write) return step;
    }
    return Step{};
  };
  // 64 MB of a window: 7 requests of 8 MiB, and one of what is left.
  EXPECT_EQ(first_write(series_work(whole, {})).bytes, 8U << 20);
  EXPECT_DOUBLE_EQ(first_write(series_work(whole, {})).times, 7);
  // A budget that holds 5 steps twice: a tile's steps are a request.
  whole.budget_bytes = 2 * 5 * 3'200'000 + 1000;
  EXPECT_EQ(first_write(series_work(whole, {})).bytes, 5U * 32'000);
  EXPECT_DOUBLE_EQ(first_write(series_work(whole, {})).times, 100);
}

TEST(SeriesWork, WritersAreThoseOfTheEngine) {
  SeriesShape nodes = shape(48);
  EXPECT_EQ(writers_of(series_work(nodes, {})), 48U) << "all on one node";
  nodes.ranks_per_node = 12;
  EXPECT_EQ(writers_of(series_work(nodes, {})), 32U) << "8 on each of 4 nodes";
  nodes.writers = partition::WriterLimit{.per_node = 1};
  const SeriesWork one = series_work(nodes, {});
  EXPECT_EQ(writers_of(one), 4U);
  ASSERT_EQ(one.order.size(), 8U) << "on each node a writer, and 11 others";
  EXPECT_EQ(one.order[1].second, 11U);
  EXPECT_NEAR(all_bytes(one), 400'000.0 * 100 * 8, 2000);
}

TEST(SeriesWork, TheDiskTakesWindowsFromAPageCacheWhileTheNextIsMade) {
  const auto synced = [](bool page_cache) {
    SeriesShape series = shape(1);
    series.syncs = true;
    series.page_cache = page_cache;
    std::map<By, std::uint64_t> bytes;
    for (const Step& step : series_work(series, {}).groups[1].steps) {
      if (step.act == Act::sync) bytes[step.by] += step.bytes;
    }
    return bytes;
  };
  const std::uint64_t all = 400'000ULL * 100 * 8;
  EXPECT_EQ(synced(true), (std::map<By, std::uint64_t>{{By::disk, all}}));
  EXPECT_EQ(synced(false), (std::map<By, std::uint64_t>{{By::rank, all}}));
}

TEST(SeriesWork, RoomForShortRowsIsAskedForAheadByOneRank) {
  const auto calls = [](std::uint64_t nodes) {
    SeriesShape series = shape(2);
    series.fields[0].per_step = {nodes};
    double times = 0;
    for (const Step& step : series_work(series, {}).groups[1].steps) {
      if (step.act == Act::call && step.call == "reserve") times += step.times;
    }
    return times;
  };
  EXPECT_DOUBLE_EQ(calls(400'000), 5) << "rows of 64 MB: each rank for each of its own";
  EXPECT_DOUBLE_EQ(calls(40'000), 5.0 / (3 * 2)) << "rows of 6.4 MB: one of two ranks for three";
}

TEST(SeriesWork, ALocalPageCacheTakesRequestsOfHalfAMebibyte) {
  stores::StoreProfile store;
  store.file_system = "ext4";
  EXPECT_EQ(most_request_bytes(store), 512U << 10);
  store.file_system = "lustre";
  EXPECT_EQ(most_request_bytes(store), 8U << 20);
}

}  // namespace
}  // namespace weft::predict
