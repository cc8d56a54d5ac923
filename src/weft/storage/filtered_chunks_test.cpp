#include "weft/storage/filtered_chunks.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/chunk_codec.hpp"

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

// What encode() makes of one chunk of 4 steps of 250 values: as the file will have it.
std::vector<std::byte> made_of(const ChunkSteps& steps) {
  SeriesCatalog catalog = filtered_catalog();
  catalog.segments[0].fields[0].shape = {4, 250};
  catalog.segments[0].fields[0].chunk = {4, 250};
  const std::string path = testing::TempDir() + "made.bytes";
  std::fclose(std::fopen(path.c_str(), "w"));
  const std::unique_ptr<ByteStore> store = open_store(path, OpenMode::write);
  FilteredChunks filtered(*store, catalog, 1);
  filtered.encode({steps});
  EXPECT_EQ(filtered.step_bytes(), steps.shuffled > 0 ? steps.shuffled * 250 * sizeof(double) : steps.steps.size());
  filtered.set_aside();
  std::vector<std::byte> made;
  for (const WriteRequest& request : filtered.place(0)) {
    for (const Bytes& piece : request.pieces) made.insert(made.end(), piece.begin(), piece.end());
  }
  std::filesystem::remove(path);
  return made;
}

TEST(FilteredChunks, WhatIsShuffledAlreadyBecomesTheSameChunk) {
  std::vector<double> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 / static_cast<double>(i + 1);
  const Bytes bytes = std::as_bytes(std::span(values));
  std::vector<std::byte> shuffled(bytes.size());
  shuffle(bytes, sizeof(double), shuffled);
  for (std::uint64_t steps = 1; steps <= 4; ++steps) {
    const ChunkSteps plain{0, 0, 0, bytes.first(steps * 250 * sizeof(double))};
    EXPECT_EQ(made_of({0, 0, 0, shuffled, steps}), made_of(plain)) << steps << " steps of 4";
  }
}

}  // namespace
}  // namespace weft::storage
