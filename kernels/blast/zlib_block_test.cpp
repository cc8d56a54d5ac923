#include "kernels/blast/zlib_block.hpp"

#include <gtest/gtest.h>

#include <string>

#include "kernels/blast/blast_result.hpp"

namespace weft::kernels::blast {
namespace {

class ZlibBlock : public testing::TestWithParam<Codec> {};

TEST_P(ZlibBlock, GivesItsTextBack) {
  std::string text;
  append_result(text, {1, 30'000}, 0);
  const Values<char> block = zlib_block(text, GetParam());
  std::string again(text.size(), ' ');
  uLongf bytes = again.size();
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(again.data()), &bytes, reinterpret_cast<const Bytef*>(block.data()),
                       block.size()),
            Z_OK);
  EXPECT_EQ(again, text);
}

TEST_P(ZlibBlock, ItsLengthIsFoundInPieces) {
  CompressedLength length(GetParam());
  for (std::uint64_t results = 1; results < 12; results += 5) {
    std::string text;
    for (std::uint64_t task = 0; task < results; ++task) {
      const std::size_t before = text.size();
      append_result(text, {4, 50'000}, task);
      const std::string_view added = std::string_view(text).substr(before);
      length.add(added.substr(0, 100));
      length.add(added.substr(100));
    }
    EXPECT_EQ(length.finish(), zlib_block(text, GetParam()).size());
  }
}

TEST_P(ZlibBlock, KnowsTheMostATextCanBecome) {
  std::string noise(100'000, ' ');
  std::uint64_t state = 1;
  for (char& c : noise) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    c = static_cast<char>(state >> 56);
  }
  EXPECT_LE(zlib_block(noise, GetParam()).size(), most_compressed(noise.size()));
  EXPECT_GT(zlib_block(noise, GetParam()).size(), noise.size());
}

INSTANTIATE_TEST_SUITE_P(Codecs, ZlibBlock, testing::Values(Codec::zlib, Codec::libdeflate));

}  // namespace
}  // namespace weft::kernels::blast
