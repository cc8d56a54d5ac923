// Trees made by arithmetic, against HDF5: what it reads through them, and what is read of its own.
#include "weft/storage/chunk_tree.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "weft/storage/chunk_room.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/hdf5_versions.hpp"
#include "weft/storage/little_endian.hpp"
#include "weft/storage/object_header.hpp"

namespace weft::storage {
namespace {

std::uint64_t header_of(hid_t dataset) {
  ObjectInfo info;
  EXPECT_GE(object_info(dataset, info), 0);
  return info.address;
}

// The value of every element: its number.
std::vector<std::int32_t> read_all(const std::string& path, const Shape& shape) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  const Handle dataset(H5Dopen2(file, "/V", H5P_DEFAULT));
  const Handle space(H5Dget_space(dataset));
  std::vector<hsize_t> extents(shape.size());
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  EXPECT_EQ(Shape(extents.begin(), extents.end()), shape);
  std::vector<std::int32_t> values(element_count(shape), -1);
  EXPECT_GE(H5Dread(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  return values;
}

struct Case {
  Shape shape;
  Shape chunk;
};

class ChunkTreeTest : public testing::TestWithParam<Case> {};

// A dataset with room for all of the shape, in which chunk n holds n everywhere, cut at every kind of place.
TEST_P(ChunkTreeTest, HDF5ReadsThroughIt) {
  const auto& [shape, chunk] = GetParam();
  const std::string path = fmt::format("tree-{}-{}.h5", shape[0], shape.size());
  ArrayEntry array{"/V", DataType::int32, shape, chunk, {}, {}};
  ChunkRoom room;
  std::uint64_t header = 0;
  {
    const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, file_access()));
    const Handle dataset = create_roomy(file, "/V", DataType::int32, shape, chunk);
    header = header_of(dataset);
    claim_room(file, array, 0, room, 0);
    array.addresses = ChunkAddresses::in_stretches(room.stretches, array.chunk_bytes());
  }
  const auto store = open_store(path, OpenMode::write);
  for (std::uint64_t n = 0; n < array.chunks(); ++n) {
    const std::vector<std::int32_t> values(element_count(chunk), static_cast<std::int32_t>(n));
    store->write_at(array.addresses.at(n), std::as_bytes(std::span(values)));
  }
  std::vector<std::byte> whole;
  for (const std::uint64_t shown : {shape[0], shape[0] - 1, std::uint64_t{1}, shape[0] / 2, std::uint64_t{0}}) {
    write_index(*store, {header, array, room.index, shown});
    Shape cut = shape;
    cut[0] = shown;
    const std::vector<std::int32_t> values = read_all(path, cut);
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint64_t number = 0;
      std::uint64_t rest = i;
      std::uint64_t pitch = values.size();
      for (std::size_t axis = 0; axis < cut.size(); ++axis) {
        pitch /= cut[axis];
        number = number * ceil_div(cut[axis], chunk[axis]) + rest / pitch / chunk[axis];
        rest %= pitch;
      }
      ASSERT_EQ(values[i], static_cast<std::int32_t>(number)) << i << " of " << shown << " steps";
    }
    if (shown == 0) continue;
    const ChunkTree tree(shape, chunk, 4);
    const auto listed = read_chunk_tree(*store, tree.root(room.index), cut, chunk);
    ASSERT_TRUE(listed);
    ArrayEntry seen = array;
    seen.shape = cut;
    ASSERT_EQ(listed->size(), seen.chunks());
    for (std::size_t n = 0; n < listed->size(); ++n) {
      EXPECT_EQ((*listed)[n].number, n);
      EXPECT_EQ((*listed)[n].stored.address, array.addresses.at(n));
    }
    // A cut changes few bytes: those of the nodes on its way.
    const auto chunk_of = [&](std::uint64_t n) { return IndexedChunk{array.addresses.at(n), 4, 0}; };
    const std::vector<std::byte> nodes = tree.nodes(room.index, seen.chunks(), chunk_of);
    if (whole.empty()) whole = nodes;
    std::size_t others = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) others += nodes[i] == whole[i] ? 0 : 1;
    EXPECT_LT(others, 1000U);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ChunkTreeTest,
                         testing::Values(Case{{1}, {1}}, Case{{63}, {1}}, Case{{64}, {1}}, Case{{65}, {1}},
                                         Case{{130, 3}, {2, 2}}, Case{{64, 64, 2}, {1, 1, 2}}, Case{{4097}, {1}},
                                         Case{{70, 61, 3}, {1, 1, 3}}, Case{{7, 6, 5, 4, 2}, {2, 2, 2, 3, 1}}));

// One that HDF5 made, chunk by chunk, in another order.
TEST(ChunkTreeTest, ThatOfHDF5IsRead) {
  const std::string path = "tree-of-hdf5.h5";
  std::uint64_t header = 0;
  constexpr std::uint64_t kChunkRows = 90;
  {
    const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, file_access()));
    const Handle dataset = create_roomy(file, "/V", DataType::int32, {kChunkRows, 4}, {1, 2});
    for (std::uint64_t i = 0; i < 2 * kChunkRows; ++i) {
      const std::uint64_t n = i * 77 % (2 * kChunkRows);
      const std::vector<std::int32_t> values(2, static_cast<std::int32_t>(n));
      const std::vector<hsize_t> at{n / 2, n % 2 * 2};
      ASSERT_GE(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, at.data(), 8, values.data()), 0);
    }
    header = header_of(dataset);
  }
  const auto store = open_store(path, OpenMode::read);
  const auto messages = read_object_header(*store, header);
  ASSERT_TRUE(messages);
  std::uint64_t root = 0;
  for (const HeaderMessage& message : *messages) {
    if (message.type == static_cast<std::uint8_t>(MessageType::layout)) root = get_little_endian(message.bytes, 3, 8);
  }
  const auto listed = read_chunk_tree(*store, root, {kChunkRows, 4}, {1, 2});
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 2 * kChunkRows);
  for (std::size_t n = 0; n < listed->size(); ++n) {
    std::int32_t value = -1;
    store->read_at((*listed)[n].stored.address, std::as_writable_bytes(std::span(&value, 1)));
    EXPECT_EQ((*listed)[n].number, n);
    EXPECT_EQ(value, static_cast<std::int32_t>(n));
    EXPECT_EQ((*listed)[n].stored.bytes, 8U);
  }
}

// Whatever the bytes are, there is an answer.
TEST(ChunkTreeTest, DamagedOnesAreNone) {
  const Shape shape{300};
  const ChunkTree tree(shape, {1}, 4);
  const auto chunk_of = [](std::uint64_t n) { return IndexedChunk{1000 + 4 * n, 4, 0}; };
  const std::vector<std::byte> nodes = tree.nodes(0, 300, chunk_of);
  const auto store = open_store("tree-damaged", OpenMode::create);
  store->write_at(0, Bytes(nodes));
  ASSERT_TRUE(read_chunk_tree(*store, tree.root(0), shape, {1}));
  // The root leads to itself; to the same leaf twice; past the end.
  for (const std::uint64_t child : {tree.root(0), std::uint64_t{0}, std::uint64_t{1} << 60}) {
    std::vector<std::byte> bad = nodes;
    constexpr std::size_t kKey = 24;
    put_little_endian(bad, tree.root(0) + 24 + kKey + 8 + kKey, 8, child);
    store->write_at(0, Bytes(bad));
    EXPECT_FALSE(read_chunk_tree(*store, tree.root(0), shape, {1})) << child;
  }
}

}  // namespace
}  // namespace weft::storage
