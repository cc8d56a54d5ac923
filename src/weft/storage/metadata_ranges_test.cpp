#include "weft/storage/metadata_ranges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>

#include "weft/storage/scratch_file.hpp"

namespace weft::storage {
namespace {

using testing::ElementsAre;

using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Pairs pairs(const std::vector<ByteRange>& ranges) {
  Pairs all;
  for (const ByteRange& range : ranges) all.emplace_back(range.begin, range.end);
  return all;
}

ArrayEntry array_at(std::uint64_t address, std::uint64_t values) {
  ArrayEntry array;
  array.type = DataType::float64;
  array.shape = array.chunk = {values};
  array.addresses = ChunkAddresses::listed({address});
  return array;
}

TEST(MetadataRanges, AreAllThatIsNotData) {
  SeriesCatalog catalog;
  catalog.segments.resize(1);
  catalog.segments[0].fields = {array_at(100, 5), array_at(1000, 100)};  // times, and a field
  catalog.fixed_arrays = {array_at(2000, 10)};
  catalog.commit = array_at(200, 2);
  // Those of a new file: its times and slots are in it.
  EXPECT_THAT(pairs(metadata_ranges(catalog, {}, 3000, 0)),
              ElementsAre(std::pair(0, 1000), std::pair(1800, 2000), std::pair(2080, 3000)));
  // Of one that is there they are not, nor what others put there.
  EXPECT_THAT(pairs(metadata_ranges(catalog, {{2500, 3000}}, 3000, 3000)),
              ElementsAre(std::pair(0, 100), std::pair(140, 200), std::pair(216, 1000), std::pair(1800, 2000),
                          std::pair(2080, 2500)));
  EXPECT_EQ(bytes_of(metadata_ranges(catalog, {}, 3000, 0)), 2120U);
}

TEST(MetadataRanges, ZerosStayHolesAndAreNotWritten) {
  const ScratchFile from("/nowhere", 0);
  const ScratchFile to("/nowhere", 0);
  const auto counters = std::make_shared<SyscallCounters>();
  const auto source = open_store(from.path(), OpenMode::write);
  const auto target = open_store(to.path(), OpenMode::write, counters);
  const std::vector<std::byte> ones(5000, std::byte{1});
  for (const std::uint64_t at : {0U, 7000U, 3U << 20U}) source->write_at(at, Bytes(ones));
  copy_range(*source, *target, {0, source->size()});
  EXPECT_EQ(target->size(), source->size());
  EXPECT_EQ(read_range(*target, {0, 1 << 20}), read_range(*source, {0, 1 << 20}));
  EXPECT_EQ(read_range(*target, {3 << 20, target->size()}), ones);
  EXPECT_EQ(counters->writes, 2U);
}

}  // namespace
}  // namespace weft::storage
