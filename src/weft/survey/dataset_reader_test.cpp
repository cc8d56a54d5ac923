#include "weft/survey/dataset_reader.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <numeric>
#include <random>
#include <set>

#include "weft/storage/chunk_codec.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/support/error.hpp"

namespace weft::survey {
namespace {

using storage::Handle;

constexpr std::uint64_t kRows = 23;
constexpr std::uint64_t kColumns = 50;

class DatasetReaderTest : public testing::TestWithParam<const char*> {
 protected:
  // Element (i, j) is 1000 i + j; the last rows of chunks are never written where `rows` says so, and read as 7.
  Handle make(const std::string& name, const std::string& filters, hsize_t rows = kRows) {
    storage::register_filters();
    path_ = std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".h5";
    std::replace(path_.begin(), path_.end(), '/', '_');
    Handle file(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE));
    const hsize_t chunk[] = {4, 9};
    const double fill = 7;
    if (filters != "contiguous") {
      H5Pset_chunk(properties, 2, chunk);
      storage::add_filters(properties, storage::parse_filters(filters, 8));
    }
    H5Pset_fill_value(properties, H5T_NATIVE_DOUBLE, &fill);
    const Handle dataset =
        storage::create_dataset(file, name, H5T_NATIVE_DOUBLE, storage::simple_space({kRows, kColumns}), properties);
    std::vector<double> values(rows * kColumns);
    for (std::size_t n = 0; n < values.size(); ++n) {
      const std::size_t row = n / kColumns;
      values[n] = static_cast<double>(1000 * row + n % kColumns);
    }
    const Handle space(H5Dget_space(dataset));
    const hsize_t start[] = {0, 0};
    const hsize_t count[] = {rows, kColumns};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, storage::simple_space({rows, kColumns}), space, H5P_DEFAULT, values.data());
    return file;
  }

  std::string path_;
};

TEST_P(DatasetReaderTest, AnyBoxOfAnyLayout) {
  const Handle file = make("/V", GetParam());
  DatasetReader reader(file, "/V", H5T_NATIVE_DOUBLE, {});
  std::mt19937 random(7);
  const auto draw = [&](std::uint64_t below) {
    return std::uniform_int_distribution<std::uint64_t>(0, below - 1)(random);
  };
  for (int i = 0; i < 200; ++i) {
    Box box{{draw(kRows), draw(kColumns)}, {}};
    box.count = {1 + draw(kRows - box.start[0]), 1 + draw(kColumns - box.start[1])};
    std::vector<double> values(element_count(box.count));
    reader.read(box, std::as_writable_bytes(std::span(values)));
    for (std::size_t n = 0; n < values.size(); ++n) {
      const std::uint64_t row = box.start[0] + n / box.count[1];
      const std::uint64_t column = box.start[1] + n % box.count[1];
      ASSERT_EQ(values[n], static_cast<double>(1000 * row + column)) << GetParam() << " " << i << " " << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, DatasetReaderTest,
                         testing::Values("contiguous", "none", "deflate:1", "shuffle+deflate", "fletcher32",
                                         "shuffle+zstd"),
                         [](const auto& one) { return "Layout" + std::to_string(one.index); });

using DatasetReaderOnceTest = DatasetReaderTest;

TEST_F(DatasetReaderOnceTest, ChunksThatWereNeverWrittenReadAsTheFillValue) {
  const Handle file = make("/V", "shuffle+deflate", 8);
  DatasetReader reader(file, "/V", H5T_NATIVE_DOUBLE, {});
  std::vector<double> values(kColumns);
  reader.read({{9, 0}, {1, kColumns}}, std::as_writable_bytes(std::span(values)));
  EXPECT_EQ(values, std::vector<double>(kColumns, 7.0));
  EXPECT_EQ(reader.stored_chunks().size(), 2U * 6);
}

TEST_F(DatasetReaderOnceTest, EveryChunkOnce) {
  const Handle file = make("/V", "deflate:1");
  DatasetReader reader(file, "/V", H5T_NATIVE_DOUBLE, {});
  ASSERT_TRUE(reader.decodes());
  std::mutex mutex;
  std::multiset<std::uint64_t> seen;
  std::vector<std::uint64_t> numbers(36);
  std::iota(numbers.begin(), numbers.end(), 0U);
  reader.each_chunk(
      numbers,
      [&](std::uint64_t number, std::span<const std::byte> chunk) {
        const std::lock_guard lock(mutex);
        seen.insert(number);
        EXPECT_EQ(chunk.size(), 4U * 9 * 8);
        const std::uint64_t row = number / 6;
        EXPECT_EQ(reinterpret_cast<const double*>(chunk.data())[0], static_cast<double>(4000 * row + 9 * (number % 6)));
      },
      [](std::uint64_t, const Error& error) { FAIL() << error.what(); });
  EXPECT_EQ(seen, std::multiset<std::uint64_t>(numbers.begin(), numbers.end()));
}

TEST_F(DatasetReaderOnceTest, AChunkBeyondTheLimitIsRefused) {
  const Handle file = make("/V", "deflate:1");
  EXPECT_THROW(DatasetReader(file, "/V", H5T_NATIVE_DOUBLE, {1 << 20, 100}), Error);
}

}  // namespace
}  // namespace weft::survey
