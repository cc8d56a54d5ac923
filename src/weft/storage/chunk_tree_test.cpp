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
    const Handle dataset = create_roomy(file, "/V", DataType::int32, shape, chunk, {});
    header = header_of(dataset);
    claim_room(file, array, {}, 0, room, 0);
    array.addresses = addresses_in(room);
  }
  const auto store = open_store(path, OpenMode::write);
  for (std::uint64_t n = 0; n < array.chunks(); ++n) {
    const std::vector<std::int32_t> values(element_count(chunk), static_cast<std::int32_t>(n));
    store->write_at(array.addresses.at(n), std::as_bytes(std::span(values)));
  }
  std::vector<std::byte> whole;
  for (const std::uint64_t shown : {shape[0], shape[0] - 1, std::uint64_t{1}, shape[0] / 2, std::uint64_t{0}}) {
    write_index(*store, {header, array, room, shown});
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
    const std::vector<IndexedChunk> entries = tree.entries(*store, room.index);
    ASSERT_EQ(entries.size(), array.chunks());
    ArrayEntry seen = array;
    seen.shape = cut;
    for (std::size_t n = 0; n < seen.chunks(); ++n) EXPECT_EQ(entries[n].address, array.addresses.at(n));
    // A cut changes few bytes: those of the nodes on its way.
    const auto chunk_of = [&](std::uint64_t n) { return IndexedChunk{array.addresses.at(n), 4, 0}; };
    std::vector<std::byte> nodes;
    tree.make_nodes(room.index, seen.chunks(), chunk_of, [&](std::uint64_t place, Bytes piece) {
      EXPECT_EQ(place, room.index + nodes.size());
      nodes.insert(nodes.end(), piece.begin(), piece.end());
    });
    EXPECT_EQ(nodes.size(), tree.bytes());
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

// Entry after entry, in place, in any order: what HDF5 reads is what the entries say.
TEST(ChunkTreeTest, EntriesAreOverwrittenInPlace) {
  const std::string path = "tree-overwritten.h5";
  const Shape shape{200};
  ArrayEntry array{"/V", DataType::int32, shape, {1}, {}, {}};
  ChunkRoom room;
  std::uint64_t header = 0;
  {
    const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, file_access()));
    const Handle dataset = create_roomy(file, "/V", DataType::int32, shape, {1}, {});
    header = header_of(dataset);
    claim_room(file, array, {}, 0, room, 0);
    array.addresses = addresses_in(room);
  }
  const auto store = open_store(path, OpenMode::write);
  for (std::int32_t n = 0; n < 200; ++n) {
    store->write_at(array.addresses.at(static_cast<std::uint64_t>(n)), std::as_bytes(std::span(&n, 1)));
  }
  write_index(*store, {header, array, room, 200});
  const ChunkTree tree(shape, {1}, 4);
  for (std::uint64_t i = 0; i < 200; ++i) {  // the other way round
    const std::uint64_t n = i * 77 % 200;
    const std::vector<std::byte> entry = tree.entry(n, {array.addresses.at(199 - n), 4, 0});
    store->write_at(tree.entry_at(room.index, n), Bytes(entry));
  }
  const std::vector<std::int32_t> values = read_all(path, shape);
  for (std::int32_t n = 0; n < 200; ++n) EXPECT_EQ(values[static_cast<std::size_t>(n)], 199 - n);
}

}  // namespace
}  // namespace weft::storage
