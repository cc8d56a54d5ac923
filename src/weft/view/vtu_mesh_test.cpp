#include "weft/view/vtu_mesh.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "weft/support/error.hpp"

namespace weft::view {
namespace {

using testing::ElementsAre;

// A triangle and a line on three points, with these arrays; as many pieces as are given.
struct Arrays {
  std::string on_points;
  std::string on_cells;
};
std::string written(const std::vector<Arrays>& pieces) {
  // Tests of one program run side by side in one folder.
  std::string path = std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".vtu";
  std::ofstream out(path);
  out << R"(<VTKFile type="UnstructuredGrid" byte_order="LittleEndian"><UnstructuredGrid>)";
  for (const Arrays& arrays : pieces) {
    out << R"(<Piece NumberOfPoints="3" NumberOfCells="2"><Points>)"
        << R"(<DataArray type="Float32" NumberOfComponents="3" format="ascii">0 0 0 1 0 0 0 1 0</DataArray></Points>)"
        << R"(<Cells><DataArray type="Int32" Name="connectivity" format="ascii">0 1 2 1 2</DataArray>)"
        << R"(<DataArray type="Int32" Name="offsets" format="ascii">3 5</DataArray>)"
        << R"(<DataArray type="UInt8" Name="types" format="ascii">5 3</DataArray></Cells>)"
        << "<PointData>" << arrays.on_points << "</PointData><CellData>" << arrays.on_cells << "</CellData></Piece>";
  }
  out << "</UnstructuredGrid></VTKFile>";
  return path;
}

std::string array(const std::string& name, const std::string& type, int components, const std::string& format,
                  const std::string& values) {
  return fmt::format(R"(<DataArray type="{}" Name="{}" NumberOfComponents="{}" format="{}">{}</DataArray>)", type, name,
                     components, format, values);
}

TEST(VtuFields, AreThoseAskedForThatAreThere) {
  const std::string path =
      written({{array("time", "Float64", 1, "ascii", "0.5 nan -1"),
                array("tissue", "Int8", 1, "ascii", "1 2") + array("fibre", "Float32", 3, "ascii", "1 0 0 0 0.5 0")}});
  const VtuFields fields = read_vtu_fields(path, {"time", "tissue"}, {"fibre", "tissue"});
  EXPECT_EQ(fields.mesh.points, read_vtu(path).points);
  EXPECT_THAT(fields.mesh.cells.types, ElementsAre(5, 3));
  ASSERT_EQ(fields.on_points.size(), 1u);
  const std::vector<double>& time = fields.on_points.at("time").values;
  EXPECT_EQ(time.size(), 3u);
  EXPECT_TRUE(time[0] == 0.5 && std::isnan(time[1]) && time[2] == -1);
  EXPECT_THAT(fields.on_cells.at("tissue").values, ElementsAre(1, 2));
  EXPECT_EQ(fields.on_cells.at("fibre").components, 3u);
  EXPECT_THAT(fields.on_cells.at("fibre").values, ElementsAre(1, 0, 0, 0, 0.5, 0));
  EXPECT_TRUE(read_vtu_fields(path, {}, {}).on_cells.empty());
}

TEST(VtuFields, AreReadInBinaryToo) {
  // Length 8, then the Int32s 7 and -2.
  const std::string path = written({{"", array("tissue", "Int32", 1, "binary", "\n  CAAAAAcAAAD+////\n")}});
  EXPECT_THAT(read_vtu_fields(path, {}, {"tissue"}).on_cells.at("tissue").values, ElementsAre(7, -2));
}

TEST(VtuFields, OfSeveralPiecesLieOneBehindTheOther) {
  const std::string path = written({{"", array("tissue", "Int8", 1, "ascii", "1 2")},  //
                                    {"", array("tissue", "Int32", 1, "ascii", "3 4")}});
  EXPECT_THAT(read_vtu_fields(path, {}, {"tissue"}).on_cells.at("tissue").values, ElementsAre(1, 2, 3, 4));
}

TEST(VtuFields, OfAWrongLengthOrInSomePiecesAreRefused) {
  const auto refused = [](const std::vector<Arrays>& pieces) {
    const std::string path = written(pieces);
    EXPECT_NO_THROW(read_vtu(path));
    EXPECT_THROW(read_vtu_fields(path, {}, {"a"}), Error);
  };
  refused({{"", array("a", "Int8", 1, "ascii", "1")}});
  refused({{"", array("a", "Int8", 3, "ascii", "1 2 3 4")}});
  refused({{"", array("a", "Int8", 0, "ascii", "1 2")}});
  refused({{"", array("a", "Int8", 1, "ascii", "1 two")}});
  refused({{"", array("a", "String", 1, "ascii", "1 2")}});
  refused({{"", array("a", "Int8", 1, "ascii", "1 2")}, {"", ""}});
  refused({{"", array("a", "Int8", 1, "ascii", "1 2")}, {"", array("a", "Int8", 2, "ascii", "1 2 3 4")}});
}

}  // namespace
}  // namespace weft::view
