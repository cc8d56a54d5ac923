// Prices against what HDF5 really asks of the system (counted by it: /proc/self/io), and worked numbers.
#include "weft/inspect/read_price.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <random>
#include <string>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/support/read_count.hpp"
#include "weft/survey/survey.hpp"

namespace weft::inspect {
namespace {

using layout::ChunkGrid;
using storage::Handle;

Price hdf5(const Arrangement& stored, const Box& box) { return through_hdf5(stored, std::span(&box, 1), {}); }

const Box kTrace{{0, 777, 0}, {151, 1, 2}};
const Box kSnapshot{{75, 0, 0}, {1, 20000, 2}};

TEST(ReadPrice, InOnePieceHdf5ReadsThroughItsSieve) {
  const Arrangement stored{ChunkGrid::contiguous({151, 20000, 2}, 8), false};
  EXPECT_EQ(hdf5(stored, kTrace), (Price{151, 151 * 65536ULL}));
  EXPECT_EQ(hdf5(stored, kSnapshot), (Price{1, 320'000}));
  EXPECT_EQ(hdf5(stored, {{0, 777, 1}, {151, 5000, 1}}), (Price{302, 302 * 65536ULL}));
  // Rows of 4,000 bytes: 16 to a sieve, and the last one ends with the dataset.
  EXPECT_EQ(hdf5({ChunkGrid::contiguous({151, 500}, 8), false}, {{0, 77}, {151, 1}}), (Price{9, 583'672}));
}

TEST(ReadPrice, ChunksThatFitTheCacheAreReadWhole) {
  const Arrangement small{ChunkGrid({151, 20000, 2}, {19, 3449, 2}, 8)};
  EXPECT_EQ(hdf5(small, kTrace), (Price{8, 8'387'968}));
  EXPECT_EQ(hdf5(small, kSnapshot), (Price{6, 6 * 1'048'496ULL}));
  const Arrangement large{ChunkGrid({151, 20000, 2}, {41, 20000, 2}, 8)};
  EXPECT_EQ(hdf5(large, kTrace), (Price{151, 151 * 16ULL}));
  EXPECT_EQ(hdf5(large, kSnapshot), (Price{1, 320'000}));
}

TEST(ReadPrice, FilteredChunksAreReadWholeByEveryone) {
  const Arrangement stored{ChunkGrid({151, 20000, 2}, {41, 20000, 2}, 8), true, true, 2'000'000.5, 0.05};
  EXPECT_EQ(hdf5(stored, kTrace), (Price{4, 8'000'002, 0.2}));
  EXPECT_EQ(through_weft(stored, std::span(&kTrace, 1), {}), (Price{4, 8'000'002, 0.2}));
  EXPECT_DOUBLE_EQ(hdf5(stored, kTrace).seconds({}), 0.004 + 0.008000002 + 0.2);
  layout::AccessCost small_requests;
  small_requests.max_request_bytes = 1'500'000;
  EXPECT_EQ(through_weft(stored, std::span(&kTrace, 1), small_requests), (Price{8, 8'000'002, 0.2}));
}

TEST(ReadPrice, ChunksThatBoxesShareAreReadOnce) {
  // Steps of 30 nodes one behind the other in chunks of 45: node 10 of four steps lies in chunks 0, 0, 1, 2.
  const Arrangement stored{ChunkGrid({120}, {45}, 8)};
  std::vector<Box> boxes;
  for (std::uint64_t step = 0; step < 4; ++step) boxes.push_back({{step * 30 + 10}, {1}});
  EXPECT_EQ(through_hdf5(stored, boxes, {}), (Price{3, 3 * 360ULL}));
  EXPECT_EQ(through_weft(stored, boxes, {}), (Price{4, 32}));
}

Price reads_of(const std::function<void()>& action) {
  const ReadCount before = count_reads();
  action();
  const ReadCount reads = reads_between(before, count_reads());
  return {reads.requests, reads.bytes};
}

class AgainstHdf5 : public testing::TestWithParam<Shape> {};

TEST_P(AgainstHdf5, PricesAreWhatTheSystemSees) {
  if (!count_reads().known) GTEST_SKIP() << "this system does not count";
  const Shape shape{31, 700, 3, 9};
  const Shape& chunk = GetParam();
  const std::string path = "read_price_" + (chunk.empty() ? std::string("piece") : to_string(chunk)) + ".h5";
  {
    const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    if (chunk.empty()) {
      storage::create_contiguous(file, "/v", DataType::float64, shape);
    } else {
      storage::create_chunked(file, "/v", DataType::float64, shape, chunk);
    }
  }
  const Arrangement stored =
      chunk.empty() ? Arrangement{ChunkGrid::contiguous(shape, 8), false} : Arrangement{ChunkGrid(shape, chunk, 8)};
  std::mt19937 random(11);
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  for (int sample = 0; sample < 40; ++sample) {
    Box box;
    for (const std::uint64_t extent : shape) {
      const std::uint64_t count = std::array{std::uint64_t{1}, extent, 1 + random() % extent}[random() % 3];
      box.count.push_back(count);
      box.start.push_back(random() % (extent - count + 1));
    }
    const Handle dataset(H5Dopen2(file, "/v", H5P_DEFAULT));
    const Handle space(H5Dget_space(dataset));
    hsize_t chunks = 0;
    if (!chunk.empty()) H5Dget_num_chunks(dataset, space, &chunks);  // the index is not part of the price
    H5Sselect_hyperslab(space, H5S_SELECT_SET, storage::to_hsize(box.start).data(), nullptr,
                        storage::to_hsize(box.count).data(), nullptr);
    const Handle memory = storage::simple_space(box.count);
    std::vector<double> values(element_count(box.count));
    const Price seen =
        reads_of([&] { ASSERT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data()), 0); });
    const Price priced = through_hdf5(stored, std::span(&box, 1), hdf5_reader_here());
    EXPECT_EQ(priced.bytes, seen.bytes) << to_string(box.start) << " + " << to_string(box.count);
    EXPECT_EQ(priced.requests, seen.requests) << to_string(box.start) << " + " << to_string(box.count);
  }
  std::filesystem::remove(path);
}

INSTANTIATE_TEST_SUITE_P(Chunks, AgainstHdf5,
                         testing::Values(Shape{}, Shape{7, 100, 3, 9}, Shape{31, 1, 2, 4}, Shape{16, 512, 3, 9},
                                         Shape{10, 700, 3, 8}));

}  // namespace
}  // namespace weft::inspect
