#include "weft/refs/kerchunk_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "weft/refs/virtual_run.hpp"
#include "weft/refs/zarr_codecs.hpp"

namespace weft::refs {
namespace {

using nlohmann::json;

std::vector<std::byte> bytes_of_text(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  std::transform(text.begin(), text.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

TEST(KerchunkJson, ListsEveryChunkByItsPlaceInTheGrid) {
  ArrayReferences array{"/maps/V", "<f8", {5, 7}, {2, 4}};
  array.attributes["units"] = "mV";
  array.chunks = {{0, 100, 64}, {5, 164, 60}};
  References references{{{"/", {}}, {"/maps", {{"made", "by \"hand\""}}}}, {array}, {}, {}};
  const json list = json::parse(kerchunk_text(references, "s3://b/heart.h5"));
  EXPECT_EQ(list["version"], 1);
  const json& refs = list["refs"];
  EXPECT_EQ(refs.size(), 7U);
  EXPECT_EQ(json::parse(refs[".zgroup"].get<std::string>()), json({{"zarr_format", 2}}));
  EXPECT_EQ(json::parse(refs["maps/.zattrs"].get<std::string>())["made"], "by \"hand\"");
  EXPECT_EQ(json::parse(refs["maps/V/.zattrs"].get<std::string>())["units"], "mV");
  EXPECT_EQ(refs["maps/V/0.0"], json({"s3://b/heart.h5", 100, 64}));
  EXPECT_EQ(refs["maps/V/2.1"], json({"s3://b/heart.h5", 164, 60}));
  const json description = json::parse(refs["maps/V/.zarray"].get<std::string>());
  EXPECT_EQ(description["shape"], json({5, 7}));
  EXPECT_EQ(description["chunks"], json({2, 4}));
  EXPECT_TRUE(description["fill_value"].is_null());
  EXPECT_TRUE(description["filters"].is_null());
}

TEST(KerchunkJson, KeysOfChunks) {
  EXPECT_EQ(chunk_key({"/x", "<f8"}, 0), "0");
  EXPECT_EQ(chunk_key({"/x", "<f8", {9}, {3}}, 2), "2");
  EXPECT_EQ(chunk_key({"/x", "<f8", {4, 6, 8}, {2, 3, 4}}, 7), "1.1.1");
}

TEST(KerchunkJson, ValuesOfTheHeaderAreInTheList) {
  EXPECT_EQ(base64(bytes_of_text("")), "");
  EXPECT_EQ(base64(bytes_of_text("M")), "TQ==");
  EXPECT_EQ(base64(bytes_of_text("Ma")), "TWE=");
  EXPECT_EQ(base64(bytes_of_text("Man")), "TWFu");
  EXPECT_EQ(base64(bytes_of_text("\xff\xfe\xfd!")), "//79IQ==");
  ArrayReferences array{"/x", "|u1", {3}, {3}};
  array.values = bytes_of_text("Man");
  EXPECT_EQ(json::parse(kerchunk_text({{}, {array}, {}, {}}, "u"))["refs"]["x/0"], "base64:TWFu");
}

TEST(ZarrCodecs, FiltersKeepTheirOrderAndSettings) {
  EXPECT_EQ(codecs_of(storage::parse_filters("shuffle+deflate:1+fletcher32", 4), 4),
            json::parse(R"([{"id":"shuffle","elementsize":4},{"id":"zlib","level":1},{"id":"fletcher32"}])"));
  EXPECT_EQ(codecs_of(storage::parse_filters("zstd:7", 8), 8), json::parse(R"([{"id":"zstd","level":7}])"));
  EXPECT_TRUE(codecs_of({}, 8).is_null());
}

TEST(ZarrCodecs, NamesTheFilterThatReadersLack) {
  const auto filters = storage::parse_filters("shuffle+lzf", 8);
  ASSERT_NE(first_without_codec(filters), nullptr);
  EXPECT_EQ(first_without_codec(filters)->name, "lzf");
  EXPECT_EQ(first_without_codec(storage::parse_filters("shuffle+zstd", 8)), nullptr);
}

TEST(VirtualRun, ElementsThatFollowEachOther) {
  EXPECT_EQ(first_of_run({4, 6}, {{1, 0}, {2, 6}}), 6U);
  EXPECT_EQ(first_of_run({4, 6}, {{1, 2}, {1, 3}}), 8U);
  EXPECT_EQ(first_of_run({4, 6}, {{1, 2}, {2, 3}}), std::nullopt);
  EXPECT_EQ(first_of_run({4, 6}, {{0, 2}, {2, 1}}), std::nullopt);
  EXPECT_EQ(first_of_run({4, 6, 5}, {{2, 3, 0}, {1, 2, 5}}), 75U);
  EXPECT_EQ(first_of_run({}, {}), 0U);
}

}  // namespace
}  // namespace weft::refs
