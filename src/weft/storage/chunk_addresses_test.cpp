// What is not known of where chunks lie cannot be asked for; what is known goes to other ranks as it is.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "weft/layout/access_cost.hpp"
#include "weft/storage/read_plan.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/storage/write_plan.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {
namespace {

std::string data_error(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.what();
  }
  return "no error";
}

ArrayEntry array_with(ChunkAddresses addresses) {
  return {"/weft/segments/0/V", DataType::float64, {8, 6}, {2, 3}, std::move(addresses), {}};
}

TEST(ChunkAddresses, UnknownOnesCannotBeAskedFor) {
  EXPECT_FALSE(ChunkAddresses().known());
  EXPECT_NE(data_error([] { ChunkAddresses().at(0); }).find("no known address in the file"), std::string::npos);
  const ChunkAddresses listed = ChunkAddresses::listed({640, ChunkAddresses::kNowhere});
  EXPECT_EQ(listed.at(0), 640U);
  EXPECT_NE(data_error([&] { listed.at(1); }), "no error");
  EXPECT_NE(data_error([&] { listed.at(2); }), "no error");
}

TEST(ChunkAddresses, AreTheSameOnOtherRanks) {
  for (const ChunkAddresses& addresses :
       {ChunkAddresses(), ChunkAddresses::in_a_row(640, 48), ChunkAddresses::listed({640, 100, 1000})}) {
    const ChunkAddresses there = chunk_addresses_from_bytes(to_bytes(addresses));
    EXPECT_EQ(there.known(), addresses.known());
    EXPECT_EQ(there.are_in_a_row(), addresses.are_in_a_row());
    if (!addresses.known()) continue;
    for (std::uint64_t n = 0; n < 3; ++n) EXPECT_EQ(there.at(n), addresses.at(n));
    SeriesCatalog catalog;
    catalog.commit = array_with(addresses);
    EXPECT_EQ(catalog_from_bytes(to_bytes(catalog)).commit.addresses.at(2), addresses.at(2));
  }
}

TEST(ChunkAddresses, NothingIsReadOrWrittenThroughACatalogThatDoesNotHaveThem) {
  ArrayEntry array = array_with({});
  const std::vector<std::uint64_t> tiles{0};
  const std::vector<std::byte> values(48);
  std::vector<WriteRequest> requests;
  const auto write = [&] {
    plan_writes(
        array, 0, 2, tiles, 2, [&](std::uint64_t, std::uint64_t, std::uint64_t) { return Bytes(values); }, requests);
  };
  for (const bool filtered : {false, true}) {
    if (filtered) array.filters = {"shuffle", "deflate"};
    const std::string why = filtered ? "/weft/segments/0/V: is filtered (shuffle, deflate)"
                                     : "/weft/segments/0/V: has chunks whose addresses are not known";
    EXPECT_TRUE(data_error(write).starts_with(why));
    EXPECT_TRUE(data_error([&] { plan_room(array, 0, 2, tiles, 2); }).starts_with(why));
    EXPECT_TRUE(data_error([&] { plan_read(array, {{0, 0}, {1, 1}}, layout::AccessCost{}); }).starts_with(why));
    EXPECT_TRUE(data_error([&] { array.address(); }).starts_with(why));
    EXPECT_TRUE(requests.empty());
  }
}

TEST(ChunkAddresses, WhatLiesInChunksHasNoAddressOfItsOwn) {
  ArrayEntry array = array_with(ChunkAddresses::in_a_row(640, 48));
  EXPECT_NE(data_error([&] { array.address(); }).find("lies in chunks of 2x3, not in one piece"), std::string::npos);
  array.chunk = array.shape;
  EXPECT_EQ(array.address(), 640U);
}

TEST(ChunkAddresses, ASeriesIsWritableWhereAllOfThemAreKnown) {
  SeriesCatalog catalog;
  catalog.path = "a.h5";
  catalog.commit = array_with(ChunkAddresses::in_a_row(64, 8));
  catalog.segments.push_back({0, 8, {array_with(ChunkAddresses::in_a_row(640, 48))}});
  catalog.fixed_arrays.push_back(array_with(ChunkAddresses::listed({1, 2, 3, 4, 5, 6, 7, 8})));
  EXPECT_NO_THROW(check_writable(catalog));
  for (ArrayEntry* array : {&catalog.commit, &catalog.segments.front().fields.front(), &catalog.fixed_arrays.front()}) {
    const ChunkAddresses known = std::exchange(array->addresses, {});
    array->filters = {"deflate"};
    const std::string said = data_error([&] { check_writable(catalog); });
    EXPECT_TRUE(said.starts_with("a.h5: ")) << said;
    EXPECT_NE(said.find("has filters (deflate)"), std::string::npos) << said;
    array->filters.clear();
    EXPECT_NE(data_error([&] { check_writable(catalog); }).find("not known"), std::string::npos);
    array->addresses = known;
  }
}

}  // namespace
}  // namespace weft::storage
