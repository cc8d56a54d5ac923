// HDF5 is the reference: what it encodes is decoded here, what is encoded here it reads.
#include "weft/storage/chunk_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>
#include <thread>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_versions.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {
namespace {

constexpr hsize_t kRows = 20;
constexpr hsize_t kColumns = 37;

std::vector<double> some_values() {
  std::vector<double> values;
  std::mt19937 random(7);
  for (hsize_t i = 0; i < kRows * kColumns; ++i) {
    values.push_back(i % 3 == 0 ? static_cast<double>(random()) : 0.25 * static_cast<double>(i));
  }
  return values;
}

class ChunkCodec : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    register_filters();
    std::string name = GetParam();
    std::replace(name.begin(), name.end(), '+', '_');
    std::replace(name.begin(), name.end(), ':', '_');
    path_ = "chunk_codec_" + name + "." + std::to_string(getpid()) + ".h5";
    filters_ = parse_filters(GetParam(), sizeof(double));
    const Handle file(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hsize_t extents[] = {kRows, kColumns};
    const Handle space(H5Screate_simple(2, extents, nullptr));
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_chunk(properties, 2, extents);
    add_filters(properties, filters_);
    dataset_ = Handle(H5Dcreate2(file, "d", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
    ASSERT_TRUE(dataset_.valid());
  }
  void TearDown() override {
    dataset_.reset();
    std::filesystem::remove(path_);
  }

  std::string path_;
  std::vector<Filter> filters_;
  Handle dataset_;
  const hsize_t origin_[2] = {0, 0};
};

TEST_P(ChunkCodec, DecodesWhatHdf5Encoded) {
  const std::vector<double> values = some_values();
  ASSERT_GE(H5Dwrite(dataset_, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Fflush(dataset_, H5F_SCOPE_LOCAL);
  hsize_t bytes = 0;
  ASSERT_GE(H5Dget_chunk_storage_size(dataset_, origin_, &bytes), 0);
  std::vector<std::byte> raw(bytes);
  std::uint32_t skipped = 0;
  ASSERT_GE(read_chunk(dataset_, origin_, skipped, raw), 0);
  std::vector<double> decoded(values.size());
  ChunkCoder(filters_).decode(raw, skipped, std::as_writable_bytes(std::span(decoded)));
  EXPECT_EQ(decoded, values);
}

TEST_P(ChunkCodec, EncodesWhatHdf5Decodes) {
  const std::vector<double> values = some_values();
  const ChunkCoder::Encoded encoded = ChunkCoder(filters_).encode(std::as_bytes(std::span(values)));
  ASSERT_GE(H5Dwrite_chunk(dataset_, H5P_DEFAULT, encoded.skipped, origin_, encoded.bytes.size(), encoded.bytes.data()),
            0);
  std::vector<double> read(values.size());
  ASSERT_GE(H5Dread(dataset_, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, read.data()), 0);
  EXPECT_EQ(read, values);
}

TEST_P(ChunkCodec, EncodesIntoMemoryThatIsLongEnough) {
  const std::vector<double> values = some_values();
  const auto chunk = std::as_bytes(std::span(values));
  ChunkCoder coder(filters_);
  const ChunkCoder::Encoded expected = coder.encode(chunk);
  std::vector<std::byte> memory(chunk.size() + (1U << 16U));
  for (const std::size_t length : {memory.size(), chunk.size() / 4, std::size_t{0}}) {
    const auto encoded = coder.encode_here(chunk, std::span(memory).first(length));
    EXPECT_TRUE(std::ranges::equal(encoded.bytes, expected.bytes)) << length;
    EXPECT_EQ(encoded.skipped, expected.skipped);
    const bool there = encoded.bytes.data() == memory.data();
    EXPECT_EQ(there, length == memory.size() && !filters_.empty() && (expected.skipped >> (filters_.size() - 1)) == 0);
  }
}

TEST_P(ChunkCodec, SaysThatAChunkIsDamaged) {
  const std::vector<double> values = some_values();
  ChunkCoder coder(filters_);
  const ChunkCoder::Encoded encoded = coder.encode(std::as_bytes(std::span(values)));
  std::vector<double> decoded(values.size());
  std::vector<std::byte> shorter(encoded.bytes.begin(), encoded.bytes.end() - 9);
  EXPECT_THROW(coder.decode(shorter, encoded.skipped, std::as_writable_bytes(std::span(decoded))), Error);
  EXPECT_THROW(coder.decode({}, encoded.skipped, std::as_writable_bytes(std::span(decoded))), Error);
}

#if defined(__x86_64__) && defined(__GNUC__)
// Whether the upper halves of vector registers hold anything, as far as the processor tells (Intel's manual, volume 1,
// 13.6: XGETBV with ECX 1, bits 2 and 6). While they do, code for SSE is several times slower, the application's too.
bool upper_halves_in_use() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
  return (low & (1U << 2U | 1U << 6U)) != 0;
}

TEST_P(ChunkCodec, LeavesTheUpperHalvesOfVectorRegistersUnused) {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  const bool tells = __get_cpuid_count(0xd, 1, &a, &b, &c, &d) != 0 && (a & 4U) != 0;
  if (!tells || __builtin_cpu_supports("avx2") == 0) GTEST_SKIP() << "this processor does not tell";
  const std::vector<double> values = some_values();
  const auto chunk = std::as_bytes(std::span(values));
  ChunkCoder coder(filters_);
  asm volatile("vzeroupper");
  ASSERT_FALSE(upper_halves_in_use());
  const ChunkCoder::Encoded encoded = coder.encode(chunk);
  EXPECT_FALSE(upper_halves_in_use());
  std::vector<std::byte> decoded(chunk.size());
  asm volatile("vzeroupper");
  coder.decode(encoded.bytes, encoded.skipped, decoded);
  EXPECT_FALSE(upper_halves_in_use());
}
#endif

INSTANTIATE_TEST_SUITE_P(Filters, ChunkCodec,
                         testing::Values("none", "deflate:6", "deflate:1", "shuffle", "shuffle+deflate:9", "fletcher32",
                                         "shuffle+deflate+fletcher32", "fletcher32+deflate", "zstd:3", "lzf",
                                         "shuffle+lzf+fletcher32", "shuffle+zstd:19", "deflate+shuffle"));

// Made a block at a time, in memory that may be too short for what cannot be compressed.
TEST(ChunkCodecAlone, FastestDeflateOfAnyLength) {
  ChunkCoder coder(parse_filters("deflate:1", 8));
  std::mt19937 random(5);
  for (const std::size_t length : {1U, 7U, 32767U, 32768U, 32769U, 65536U, 98304U, 700001U}) {
    for (const unsigned kinds : {1U, 5U, 256U}) {  // of bytes
      std::vector<std::byte> bytes(length);
      for (std::byte& b : bytes) b = static_cast<std::byte>(random() % kinds);
      const ChunkCoder::Encoded encoded = coder.encode(bytes);
      std::vector<std::byte> decoded(length);
      coder.decode(encoded.bytes, encoded.skipped, decoded);
      EXPECT_EQ(decoded, bytes) << length << " of " << kinds;
      EXPECT_EQ(encoded.skipped, kinds == 256 || length < 10 ? 1U : 0U) << length << " of " << kinds;
    }
  }
}

// ISA-L 2.30 took the address of its state, which lies on the stack, for the bytes behind a chunk's first two: where
// both had the same of 32,768 hashes, the chunk became shorter. So each of 40,000 words stands there and is repeated,
// on two stacks.
TEST(ChunkCodecAlone, FastestDeflateMakesTheSameBytesOnEveryStack) {
  const auto encoded = [] {
    ChunkCoder coder(parse_filters("deflate:1", 8));
    std::mt19937_64 random(3);
    std::vector<std::byte> chunk(384);  // blocks of so many bytes that ISA-L searches them
    std::vector<std::byte> all;
    for (int i = 0; i < 40000; ++i) {
      const std::uint64_t word = random();
      for (const std::size_t at : {2U, 14U}) std::memcpy(chunk.data() + at, &word, sizeof word);
      const ChunkCoder::Encoded made = coder.encode(chunk);
      EXPECT_EQ(made.skipped, 0U);
      all.insert(all.end(), made.bytes.begin(), made.bytes.end());
    }
    return all;
  };
  const std::vector<std::byte> here = encoded();
  std::vector<std::byte> there;
  std::thread([&] { there = encoded(); }).join();
  EXPECT_TRUE(here == there) << here.size() << " bytes on one stack, " << there.size() << " on another";
}

TEST(ChunkCodecAlone, LeavesOutWhatWouldMakeAChunkLonger) {
  std::vector<std::byte> noise(1000);
  std::mt19937 random(11);
  for (std::byte& b : noise) b = static_cast<std::byte>(random());
  ChunkCoder coder(parse_filters("shuffle+deflate", 8));
  const ChunkCoder::Encoded encoded = coder.encode(noise);
  EXPECT_EQ(encoded.skipped, 2U);
  EXPECT_EQ(encoded.bytes.size(), noise.size());
  std::vector<std::byte> back(noise.size());
  coder.decode(encoded.bytes, encoded.skipped, back);
  EXPECT_EQ(back, noise);
}

TEST(ChunkCodecAlone, ShufflesElementsOfAnyLength) {
  std::mt19937 random(3);
  for (const std::size_t element : {1U, 2U, 4U, 8U, 12U, 16U}) {
    for (const std::size_t length : {0U, 5U, 64U, 127U, 128U, 1000U, 4099U}) {
      std::vector<std::byte> bytes(length);
      for (std::byte& b : bytes) b = static_cast<std::byte>(random());
      std::vector<std::byte> expected = bytes;
      const std::size_t elements = length / element;
      for (std::size_t i = 0; i < elements * element; ++i) expected[i % element * elements + i / element] = bytes[i];
      std::vector<std::byte> shuffled(length);
      shuffle(bytes, element, shuffled);
      EXPECT_EQ(shuffled, expected) << length << " bytes of " << element;
      std::vector<std::byte> back(length);
      unshuffle(shuffled, element, back);
      EXPECT_EQ(back, bytes) << length << " bytes of " << element;
    }
  }
}

TEST(ChunkCodecAlone, TextOfFilters) {
  EXPECT_EQ(to_text(parse_filters("shuffle+deflate", 8)), "shuffle+deflate:6");
  EXPECT_EQ(to_text(parse_filters("none", 8)), "none");
  for (const char* bad : {"gzip", "deflate:10", "deflate:", "zstd:0", "shuffle+", "", "none+deflate"}) {
    EXPECT_THROW(parse_filters(bad, 8), Error) << bad;
  }
}

}  // namespace
}  // namespace weft::storage
