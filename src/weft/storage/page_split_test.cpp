// Windows written through splits, compared with the same windows written as they are.
#include "weft/storage/page_split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace weft::storage {
namespace {

constexpr std::uint64_t kPage = 16;
constexpr std::byte kUnwritten{0xEE};

class Disk {
 public:
  explicit Disk(std::uint64_t bytes) : bytes_(bytes, kUnwritten) {}
  void write(const WriteRequest& request) {
    std::uint64_t at = request.offset;
    for (const Bytes& piece : request.pieces) {
      ASSERT_LE(at + piece.size(), bytes_.size());
      std::copy(piece.begin(), piece.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(at));
      at += piece.size();
    }
    ASSERT_EQ(at, request.offset + request.bytes);
  }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

std::vector<std::byte> noise(std::mt19937& random, std::uint64_t bytes) {
  std::vector<std::byte> values(bytes);
  for (std::byte& value : values) value = static_cast<std::byte>(random() % 0xEE);  // never kUnwritten
  return values;
}

WriteRequest request_of(std::uint64_t offset, const std::vector<std::byte>& memory, std::uint64_t piece,
                        std::uint64_t chunk_end) {
  WriteRequest request{offset, memory.size(), {}, chunk_end};
  for (std::uint64_t at = 0; at < memory.size(); at += piece) {
    request.pieces.push_back(Bytes(memory).subspan(at, std::min<std::uint64_t>(piece, memory.size() - at)));
  }
  return request;
}

TEST(PageSplit, OneRequestIsCutAtItsFirstAndItsLastPage) {
  std::mt19937 random(1);
  for (const std::uint64_t least : {0U, 16U, 64U}) {
    for (std::uint64_t offset = 0; offset < 40; ++offset) {
      for (std::uint64_t bytes = 1; bytes < 90; ++bytes) {
        const std::vector<std::byte> memory = noise(random, bytes);
        const WriteRequest request = request_of(offset, memory, 7, 0);
        PageSplitter pages(kPage);
        const PageSplit& split = pages.split({&request, 1}, least);
        Disk disk(160);
        Disk expected(160);
        expected.write(request);
        std::uint64_t written = 0;
        for (const WriteRequest& whole : split.whole) {
          EXPECT_EQ(whole.offset % kPage, 0U);
          EXPECT_EQ(whole.bytes % kPage, 0U);
          EXPECT_GE(whole.bytes, least);
          disk.write(whole);
          written += whole.bytes;
        }
        for (const WriteRequest& edge : split.edges) {
          disk.write(edge);
          written += edge.bytes;
        }
        ASSERT_EQ(written, bytes) << "every byte once";
        ASSERT_EQ(disk.bytes(), expected.bytes());
      }
    }
  }
}

// Chunks side by side, written window by window, as two ranks would: each has every other chunk and a splitter.
TEST(PageSplit, WindowsThatMeetInsidePagesLeaveWhatPlainWritesLeave) {
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t chunk_bytes = 20 + random() % 300;
    const std::uint64_t base = random() % 50;
    const std::uint64_t chunks = 6;
    Disk disk(base + chunks * chunk_bytes + 2 * kPage);
    Disk expected(base + chunks * chunk_bytes + 2 * kPage);
    std::vector<PageSplitter> ranks(2, PageSplitter(kPage));
    const std::uint64_t least = random() % 3 * kPage;
    for (std::uint64_t from = 0; from < chunk_bytes;) {
      const std::uint64_t bytes = std::min<std::uint64_t>(chunk_bytes - from, 1 + random() % 120);
      for (std::uint64_t rank = 0; rank < 2; ++rank) {
        std::vector<std::vector<std::byte>> memory;
        std::vector<WriteRequest> requests;
        for (std::uint64_t chunk = rank; chunk < chunks; chunk += 2) memory.push_back(noise(random, bytes));
        for (std::uint64_t i = 0; i < memory.size(); ++i) {
          const std::uint64_t at = base + (2 * i + rank) * chunk_bytes;
          requests.push_back(request_of(at + from, memory[i], 1 + random() % 60, at + chunk_bytes));
          expected.write(requests.back());
        }
        const PageSplit& split = ranks[rank].split(requests, least);
        for (const WriteRequest& whole : split.whole) {
          ASSERT_EQ(whole.offset % kPage, 0U);
          ASSERT_EQ(whole.bytes % kPage, 0U);
          disk.write(whole);
        }
        for (const WriteRequest& edge : split.edges) disk.write(edge);
      }
      from += bytes;
      // What counts: each chunk up to `from`. Behind it there may be zeros.
      for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
        const auto at = static_cast<std::ptrdiff_t>(base + chunk * chunk_bytes);
        ASSERT_TRUE(std::equal(disk.bytes().begin() + at, disk.bytes().begin() + at + static_cast<std::ptrdiff_t>(from),
                               expected.bytes().begin() + at))
            << "round " << round << ", chunk " << chunk;
      }
    }
    ASSERT_EQ(disk.bytes(), expected.bytes());
  }
}

TEST(PageSplit, OnlyAChunksOwnEndsAreEdges) {
  std::mt19937 random(3);
  const std::uint64_t begin = 5;
  const std::uint64_t end = 5 + 10 * 37;
  PageSplitter pages(kPage);
  std::vector<WriteRequest> edges;
  for (std::uint64_t window = 0; window < 10; ++window) {
    const std::vector<std::byte> memory = noise(random, 37);
    const WriteRequest request = request_of(begin + window * 37, memory, 37, end);
    const PageSplit& split = pages.split({&request, 1}, 0);
    ASSERT_EQ(split.whole.size(), 1U);
    edges.insert(edges.end(), split.edges.begin(), split.edges.end());
  }
  ASSERT_EQ(edges.size(), 2U);
  EXPECT_EQ(edges[0].offset, 5U);
  EXPECT_EQ(edges[0].bytes, 11U);
  EXPECT_EQ(edges[1].offset, end / kPage * kPage);
  EXPECT_EQ(edges[1].bytes, end % kPage);
}

TEST(PageSplit, WhatWasWrittenAsAnEdgeIsNotTakenForTheKeptPage) {
  std::mt19937 random(4);
  PageSplitter pages(kPage);
  Disk disk(200);
  Disk expected(200);
  std::uint64_t offset = 0;
  // 40 bytes keep 8 of a page; 3 are too few to be written whole; then 40 again.
  for (const std::uint64_t bytes : {40U, 3U, 40U}) {
    const std::vector<std::byte> memory = noise(random, bytes);
    const WriteRequest request = request_of(offset, memory, bytes, 160);
    expected.write(request);
    const PageSplit& split = pages.split({&request, 1}, 0);
    for (const WriteRequest& whole : split.whole) disk.write(whole);
    for (const WriteRequest& edge : split.edges) disk.write(edge);
    offset += bytes;
  }
  EXPECT_TRUE(std::equal(disk.bytes().begin(), disk.bytes().begin() + static_cast<std::ptrdiff_t>(offset),
                         expected.bytes().begin()));
}

}  // namespace
}  // namespace weft::storage
