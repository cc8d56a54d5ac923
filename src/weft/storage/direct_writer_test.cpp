// What is written directly is what was handed over, whatever pieces it came in.
#include "weft/storage/direct_writer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "weft/support/error.hpp"

namespace weft::storage {
namespace {

class DirectWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(path_).put('\0');
    writer_ = DirectWriter::open(path_, counters_);
    if (!writer_) GTEST_SKIP() << "the file system of the build tree has no direct writes";
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::vector<std::byte> content() const {
    std::vector<std::byte> bytes(std::filesystem::file_size(path_));
    std::ifstream(path_, std::ios::binary)
        .read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return bytes;
  }

  std::string path_ = "direct-writer-test." + std::to_string(::getpid());
  std::shared_ptr<SyscallCounters> counters_ = std::make_shared<SyscallCounters>();
  std::unique_ptr<DirectWriter> writer_;
};

TEST_F(DirectWriterTest, RequestsOfAnyPiecesLandWhereTheyShould) {
  std::mt19937 random(5);
  std::vector<std::byte> memory(2200 * page_bytes());
  for (std::byte& byte : memory) byte = static_cast<std::byte>(random());
  std::vector<std::byte> expected;
  // From a page to more than a buffer holds, and in all more than all buffers do; in places that leave gaps.
  for (std::uint64_t request = 0; request < 40; ++request) {
    const std::uint64_t pages = request % 7 == 3 ? 150 + random() % 1500 : 1 + random() % 60;
    const std::uint64_t bytes = pages * page_bytes();
    const std::uint64_t from = random() % (memory.size() - bytes);
    const std::uint64_t offset = expected.size() + random() % 3 * page_bytes();
    expected.resize(offset + bytes);
    std::copy_n(memory.begin() + static_cast<std::ptrdiff_t>(from), bytes,
                expected.begin() + static_cast<std::ptrdiff_t>(offset));
    std::vector<Bytes> pieces;
    for (std::uint64_t at = 0; at < bytes;) {
      const std::uint64_t piece = std::min<std::uint64_t>(bytes - at, 1 + random() % 100'000);
      pieces.push_back(Bytes(memory).subspan(from + at, piece));
      at += piece;
    }
    writer_->write_at(offset, pieces);
  }
  writer_->finish();
  EXPECT_EQ(content(), expected);
  EXPECT_GT(counters_->bytes_written.load(), memory.size());
  writer_.reset();
  EXPECT_EQ(counters_->opens.load(), counters_->closes.load());
}

// Blocks of whole pages among pieces that lie anywhere, before, between and behind them.
TEST_F(DirectWriterTest, WholePagesAreWrittenFromWhereTheyLie) {
  std::mt19937 random(9);
  const std::uint64_t page = page_bytes();
  std::vector<std::byte> anywhere(5 * page + 1);
  for (std::byte& byte : anywhere) byte = static_cast<std::byte>(random());
  std::vector<PageBlock> blocks;
  for (const std::uint64_t bytes : {700 * page, 3 * page, page + 17, 9 * page}) {
    std::vector<std::byte> content(bytes);
    for (std::byte& byte : content) byte = static_cast<std::byte>(random());
    blocks.emplace_back(bytes).append(content);
  }
  blocks[2].fill_page();
  const Bytes odd(anywhere.data() + 1, 5 * page);
  const std::vector<Bytes> pieces{
      blocks[0].bytes(), odd.first(page + 5), odd.subspan(page + 5, 100),   odd.subspan(page + 105, 4 * page - 105),
      blocks[1].bytes(), blocks[2].bytes(),   blocks[3].bytes().first(page)};
  std::vector<std::byte> expected(2 * page);
  for (const Bytes& piece : pieces) expected.insert(expected.end(), piece.begin(), piece.end());
  writer_->write_at(2 * page, pieces);
  writer_->finish();
  EXPECT_EQ(content(), expected);
  // The first block is two writes of up to 2 MiB; through the buffers all would be seven of 512 KiB.
  if (page == 4096) {
    EXPECT_EQ(counters_->writes.load(), 6U);
  }
}

TEST_F(DirectWriterTest, WhatIsNotWholePagesIsRefused) {
  const std::vector<std::byte> memory(page_bytes());
  const Bytes piece = Bytes(memory).first(100);
  EXPECT_THROW(
      {
        writer_->write_at(0, std::span(&piece, 1));
        writer_->finish();
      },
      Error);
  const Bytes page(memory);
  writer_->write_at(0, std::span(&page, 1));  // the failure is said once
  writer_->finish();
  EXPECT_EQ(content(), memory);
}

TEST_F(DirectWriterTest, NothingIsLostWhereItEndsWithoutFinish) {
  const std::vector<std::byte> memory(3 * page_bytes(), std::byte{7});
  const Bytes all(memory);
  writer_->write_at(0, std::span(&all, 1));
  writer_.reset();
  EXPECT_EQ(content(), memory);
}

TEST(DirectWriter, AFileThatIsNotThereHasNone) {
  EXPECT_EQ(DirectWriter::open("no-such-file", std::make_shared<SyscallCounters>()), nullptr);
}

}  // namespace
}  // namespace weft::storage
