#include "weft/survey/places.hpp"

#include <gtest/gtest.h>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"

namespace weft::survey {
namespace {

using storage::Handle;

TEST(PlacesTest, OverlapsAndWhatLiesOutside) {
  const auto conflict = [](std::vector<DataRange> places) { return first_conflict(places, 10000).value_or("none"); };
  EXPECT_EQ(conflict({{4096, 5096, "/V"}, {5096, 6096, "/W"}, {0, 100, "/X"}}), "none");
  EXPECT_EQ(conflict({{5000, 6000, "/W"}, {4096, 5096, "/V"}}), "/V and /W both have data at byte 5000");
  EXPECT_EQ(conflict({{100, 9000, "/A"}, {200, 300, "/B"}, {400, 500, "/C"}}), "/A and /B both have data at byte 200");
  EXPECT_EQ(conflict({{9000, 10001, "/V"}}), "/V has data at bytes 9000 to 10001 of a file of 10000");
  EXPECT_EQ(conflict({}), "none");
}

TEST(PlacesTest, ChunksOfEveryIndex) {
  const std::string path = "ChunksOfEveryIndex.h5";
  const Handle access = storage::file_access(H5F_LIBVER_V110, H5F_LIBVER_V110);
  const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access));
  std::vector<DataRange> places;

  storage::create_chunked(file, "/implicit", DataType::float64, {10, 6}, {4, 4});  // 3 x 2 chunks of 128 bytes
  EXPECT_TRUE(add_places(Handle(H5Dopen2(file, "/implicit", H5P_DEFAULT)), "/implicit", places));
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places[0].end - places[0].begin, 6U * 128);

  const hsize_t extents[] = {10, 6};
  const hsize_t most[] = {H5S_UNLIMITED, H5S_UNLIMITED};
  const hsize_t chunk[] = {4, 4};
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(properties, 2, chunk);
  const std::vector<double> values(60, 1.5);
  for (const hsize_t* limit : {extents, most}) {
    const std::string name = limit == most ? "/growing" : "/late";
    const Handle space(H5Screate_simple(2, extents, limit));
    const Handle dataset = storage::create_dataset(file, name, H5T_NATIVE_DOUBLE, space, properties);
    places.clear();
    EXPECT_TRUE(add_places(dataset, name, places));
    EXPECT_TRUE(places.empty()) << "no room yet";
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    EXPECT_TRUE(add_places(dataset, name, places));
    std::uint64_t bytes = 0;  // however many of them lie side by side
    for (const DataRange& place : places) bytes += place.end - place.begin;
    EXPECT_EQ(bytes, 6U * 128) << name;
    EXPECT_FALSE(first_conflict(places, 1 << 20));
  }
}

}  // namespace
}  // namespace weft::survey
