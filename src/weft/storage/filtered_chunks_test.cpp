#include "weft/storage/filtered_chunks.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "weft/storage/byte_store.hpp"

namespace weft::storage {
namespace {

constexpr std::uint64_t kChunkElements = 1000;

SeriesCatalog filtered_catalog() {
  SeriesCatalog catalog;
  FieldEntry field;
  field.name = "V";
  field.per_step = {4 * kChunkElements};
  field.filter = "shuffle+deflate:1";
  catalog.fields = {field};
  ArrayEntry array;
  array.path = "/V";
  array.shape = {1, 4 * kChunkElements};
  array.chunk = {1, kChunkElements};
  catalog.segments.resize(1);
  catalog.segments[0].fields = {array};
  return catalog;
}

TEST(FilteredChunks, NoChunkIsBegunWhilePausedAndAllAreMadeAfterwards) {
  const std::string path = testing::TempDir() + "paused.bytes";
  std::fclose(std::fopen(path.c_str(), "w"));
  const std::unique_ptr<ByteStore> store = open_store(path, OpenMode::write);
  const SeriesCatalog catalog = filtered_catalog();
  const std::vector<double> values(4 * kChunkElements, 1.5);
  std::vector<ChunkSteps> chunks;
  for (std::uint64_t c = 0; c < 4; ++c) {
    chunks.push_back({0, c, 0, std::as_bytes(std::span(values).subspan(c * kChunkElements, kChunkElements))});
  }
  FilteredChunks filtered(*store, catalog, 1);
  filtered.pause();
  std::future<void> made = std::async(std::launch::async, [&] { filtered.encode(chunks); });
  EXPECT_EQ(made.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  filtered.resume();
  made.get();
  EXPECT_GT(filtered.chunk_bytes(), 0U);
  // Another pause, taken back before anything is made, holds nothing up.
  filtered.pause();
  filtered.resume();
  filtered.set_aside();
  EXPECT_EQ(filtered.bytes(), 0U);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace weft::storage
