#include "weft/convert/vtk_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <pugixml.hpp>

namespace weft::convert {
namespace {

using ::testing::HasSubstr;

VtkDocument document_of_two_points() {
  VtkDocument document;
  document.points = 2;
  document.globals = {{"TimeValue", DataType::float64, 1, 1}};
  document.on_nodes = {{"V < \"W\" & X", DataType::float32, 3}};
  return document;
}

TEST(VtkFile, TheHeadHasTheSameLengthWhateverTheOffsets) {
  const VtkDocument document = document_of_two_points();
  const std::uint64_t length = vtk_head_length(document);
  const std::vector<std::uint64_t> near(6, 0);
  const std::vector<std::uint64_t> far(6, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(vtk_head(document, near, length).size(), length);
  EXPECT_EQ(vtk_head(document, far, length).size(), length);
}

TEST(VtkFile, NamesAreEscaped) {
  const VtkDocument document = document_of_two_points();
  const std::vector<std::uint64_t> offsets(6, 0);
  std::string text = vtk_head(document, offsets, 0);
  text.pop_back();
  pugi::xml_document parsed;
  ASSERT_TRUE(parsed.load_string((text + "</AppendedData></VTKFile>").c_str()));
  const auto array =
      parsed.child("VTKFile").child("UnstructuredGrid").child("Piece").child("PointData").child("DataArray");
  EXPECT_STREQ(array.attribute("Name").value(), "V < \"W\" & X");
}

TEST(VtkFile, ArraysLieWhereTheHeadSays) {
  const std::string path = "arrays.vtu";
  std::filesystem::remove(path);
  const VtkDocument document = document_of_two_points();
  VtkFile file(path, document, 0);
  const std::vector<std::string> arrays{"points", "", "ends", "types", "time", "values"};
  for (const std::string& array : arrays) file.add(std::as_bytes(std::span(array)));
  EXPECT_FALSE(std::filesystem::exists(path)) << "before it is whole";
  const std::uint64_t length = file.finish();
  EXPECT_FALSE(std::filesystem::exists(path + ".weft-part"));
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  ASSERT_EQ(bytes.size(), length);
  const std::size_t begin = bytes.find("\n_") + 2;
  std::uint64_t at = begin;
  for (const std::string& array : arrays) {
    std::uint64_t said = 0;
    std::memcpy(&said, bytes.data() + at, sizeof said);
    EXPECT_EQ(said, array.size());
    EXPECT_EQ(bytes.substr(at + sizeof said, said), array);
    EXPECT_THAT(bytes.substr(0, begin), HasSubstr("offset=\"" + std::to_string(at - begin) + "\""));
    at += sizeof said + said;
  }
}

TEST(VtkFile, WhatIsNotFinishedLeavesNothing) {
  const VtkDocument document = document_of_two_points();
  {
    VtkFile file("unfinished.vtu", document, 0);
    EXPECT_TRUE(std::filesystem::exists("unfinished.vtu.weft-part"));
  }
  EXPECT_FALSE(std::filesystem::exists("unfinished.vtu.weft-part"));
  EXPECT_FALSE(std::filesystem::exists("unfinished.vtu"));
}

TEST(VtkFile, BlocksDecompressToTheArray) {
  std::vector<std::byte> values((512 << 10) + 5);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::byte>(i / 1000);
  const std::vector<std::byte> array = compressed_array(values, 6);
  std::vector<std::uint64_t> header(6);
  std::memcpy(header.data(), array.data(), 48);
  EXPECT_EQ(header[0], 3);
  EXPECT_EQ(header[1], 256 << 10);
  EXPECT_EQ(header[2], 5);
  std::vector<std::byte> again(values.size());
  std::size_t from = 48;
  std::size_t to = 0;
  for (std::size_t block = 0; block < 3; ++block) {
    uLongf length = again.size() - to;
    ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(again.data() + to), &length,
                         reinterpret_cast<const Bytef*>(array.data() + from), header[3 + block]),
              Z_OK);
    from += header[3 + block];
    to += length;
  }
  EXPECT_EQ(from, array.size());
  EXPECT_EQ(again, values);
  EXPECT_EQ(compressed_array({}, 6).size(), 24) << "no blocks";
}

}  // namespace
}  // namespace weft::convert
