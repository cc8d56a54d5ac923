#include "predict/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/support/error.hpp"

namespace weft::predict {
namespace {

Ranked way(const std::string& options, double middle, double least, double most) {
  Ranked one;
  one.options = options;
  one.total = {middle, least, most};
  return one;
}

TEST(Advice, IsInTheOrderOfTime) {
  const auto list = ranked({way("c", 9, 8, 10), way("a", 1, 0.8, 1.2), way("b", 2, 1.5, 3)});
  EXPECT_EQ(list[0].options, "a");
  EXPECT_EQ(list[1].options, "b");
  EXPECT_EQ(list[2].options, "c");
}

TEST(Advice, CannotTellWhereIntervalsOverlap) {
  const auto list = ranked({way("a", 1, 0.8, 1.2), way("b", 1.1, 0.9, 1.4), way("c", 2, 1.21, 3)});
  EXPECT_FALSE(list[0].cannot_tell);
  EXPECT_TRUE(list[1].cannot_tell);
  EXPECT_FALSE(list[2].cannot_tell);
}

TEST(Advice, OfNoWayIsRefused) { EXPECT_THROW(advise({}, {}, {}), Error); }

TEST(Advice, StripesAreToldToFileSystemsThatHaveThem) {
  stores::StoreProfile store;
  store.striping.bytes = 4 << 20;
  store.file_system = "lustre";
  EXPECT_THAT(striping_commands(store, 16, "DIR"), testing::ElementsAre("lfs setstripe -c 16 -S 4194304 DIR"));
  store.file_system = "fuse.beegfs";
  EXPECT_THAT(striping_commands(store, 500, "DIR"),
              testing::ElementsAre("beegfs-ctl --setpattern --numtargets=64 --chunksize=4194304 DIR"));
  store.file_system = "ext4";
  EXPECT_TRUE(striping_commands(store, 16, "DIR").empty());
}

}  // namespace
}  // namespace weft::predict
