// Headers that HDF5 made are read without it, and what is changed in them HDF5 reads.
#include "weft/storage/object_header.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/hdf5_versions.hpp"
#include "weft/storage/little_endian.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/storage/superblock.hpp"

namespace weft::storage {
namespace {

// A file with /V of 6 x 5 and so many attributes that its header has several pieces. Returns the header's address.
std::uint64_t make(const std::string& path) {
  const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, file_access()));
  const Handle dataset = create_chunked(file, "/V", DataType::float64, {6, 5}, {2, 5});
  for (int i = 0; i < 7; ++i) write_attribute(dataset, fmt::format("attribute {}", i), std::string(400, 'x'));
  ObjectInfo info;
  EXPECT_GE(object_info(dataset, info), 0);
  return info.address;
}

std::size_t count(const std::vector<HeaderMessage>& messages, MessageType type) {
  return static_cast<std::size_t>(std::count_if(messages.begin(), messages.end(), [&](const HeaderMessage& m) {
    return m.type == static_cast<std::uint8_t>(type);
  }));
}

TEST(ObjectHeaderTest, AllPiecesAreRead) {
  const std::uint64_t address = make("header.h5");
  const auto store = open_store("header.h5", OpenMode::read);
  const auto messages = read_object_header(*store, address);
  ASSERT_TRUE(messages);
  EXPECT_EQ(count(*messages, MessageType::dataspace), 1U);
  EXPECT_EQ(count(*messages, MessageType::layout), 1U);
  EXPECT_GE(count(*messages, MessageType::continuation), 1U);
  constexpr std::uint8_t kAttribute = 0x0c;
  EXPECT_EQ(count(*messages, static_cast<MessageType>(kAttribute)), 7U);
  EXPECT_FALSE(read_object_header(*store, address + 8));
  EXPECT_FALSE(read_object_header(*store, 1ULL << 60));
}

TEST(ObjectHeaderTest, ADamagedOneIsNone) {
  const std::uint64_t address = make("header-damaged.h5");
  const auto store = open_store("header-damaged.h5", OpenMode::write);
  const auto messages = read_object_header(*store, address);
  ASSERT_TRUE(messages);
  for (const HeaderMessage& message : *messages) {  // one bit of each message
    std::vector<std::byte> damaged = message.bytes;
    if (damaged.empty()) continue;
    damaged.back() ^= std::byte{16};
    store->write_at(message.at, Bytes(damaged));
    EXPECT_FALSE(read_object_header(*store, address)) << unsigned{message.type};
    store->write_at(message.at, Bytes(message.bytes));
  }
  EXPECT_TRUE(read_object_header(*store, address));
}

TEST(ObjectHeaderTest, HDF5ReadsWhatWasPatched) {
  const std::uint64_t address = make("header-patched.h5");
  {
    const auto store = open_store("header-patched.h5", OpenMode::write);
    const auto messages = read_object_header(*store, address);
    ASSERT_TRUE(messages);
    for (const HeaderMessage& message : *messages) {
      if (message.type != static_cast<std::uint8_t>(MessageType::dataspace)) continue;
      std::vector<std::byte> shorter = message.bytes;  // version, rank, flags and type, and then the extents
      ASSERT_EQ(get_little_endian(shorter, 4, 8), 6U);
      put_little_endian(shorter, 4, 8, 3);
      patch_message(*store, message, Bytes(shorter));
    }
  }
  const Handle file(H5Fopen("header-patched.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
  ASSERT_TRUE(file.valid());
  EXPECT_EQ(dataset_length(file, "/V"), 3U);
}

TEST(ObjectHeaderTest, AWeftFileIsKnownByItsBeginning) {
  make("other.h5");
  EXPECT_FALSE(begins_as_series(*open_store("other.h5", OpenMode::read)));
  FilePlan plan;
  plan.fields = {{{"V", DataType::float32, {9}, Support::nodes, "", ""}, {4, 3}, {}}};
  plan.segment_steps = 8;
  create_series_file("series-begins.h5", plan);
  const auto store = open_store("series-begins.h5", OpenMode::write);
  EXPECT_TRUE(begins_as_series(*store));
  const std::byte damage{1};
  store->write_at(read_superblock(*store)->root_group() + 8, Bytes(&damage, 1));
  EXPECT_FALSE(begins_as_series(*store));
}

}  // namespace
}  // namespace weft::storage
