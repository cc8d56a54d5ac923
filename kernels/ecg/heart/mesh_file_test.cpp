#include "kernels/ecg/heart/mesh_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "kernels/ecg/solve/plates.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::ecg {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr double kNever = std::numeric_limits<double>::quiet_NaN();

// Two tetrahedra of heart on points 0 to 4, and one of blood on 2, 3, 4 and 5.
MeshContents small() {
  MeshContents contents;
  contents.path = "small.vtu";
  contents.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {0, 2, 2}};
  contents.tetrahedra = {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 5, 3, 4}};
  contents.tissues = {Tissue::heart, Tissue::heart, Tissue::blood};
  return contents;
}

// The same with its points the other way round.
MeshContents backwards() {
  MeshContents contents = small();
  std::reverse(contents.points.begin(), contents.points.end());
  for (Tetrahedron& t : contents.tetrahedra) {
    for (std::int32_t& n : t) n = 5 - n;
  }
  return contents;
}

// So that a test sees the line.
std::string refusal(const MeshContents& contents, const MeshFileOptions& options = {}) {
  try {
    heart_mesh_of(contents, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "was not refused";
}

TEST(MeshFile, KeepsTheNumbersOfAFileWhoseHeartComesFirst) {
  const HeartMesh mesh = heart_mesh_of(small(), {});
  EXPECT_EQ(mesh.points, small().points);
  EXPECT_EQ(mesh.tetrahedra, small().tetrahedra);
  EXPECT_EQ(mesh.tissues, small().tissues);
  EXPECT_EQ(mesh.heart_nodes, 5u);
  EXPECT_EQ(mesh.heart_tetrahedra, 2u);
  EXPECT_THAT(mesh.fibres, ElementsAre(Vector3{1, 0, 0}, Vector3{1, 0, 0}));
  EXPECT_EQ(mesh.layers, std::vector<CellLayer>(5, CellLayer::epicardium));
  EXPECT_NEAR(mesh.spacing, std::cbrt(1.5), 1e-12) << "six volumes of 1 and of 2";
  EXPECT_THAT(mesh.description, HasSubstr("numbered as in the file; fibres along x; nothing is stimulated"));
  EXPECT_EQ(mesh.ground, 5);
  EXPECT_TRUE(mesh.electrodes.empty());
}

TEST(MeshFile, PutsTheHeartsTetrahedraFirstAndLeavesStrayPointsOut) {
  MeshContents contents = small();
  contents.tetrahedra = {contents.tetrahedra[2], contents.tetrahedra[1], contents.tetrahedra[0]};
  contents.tissues = {Tissue::blood, Tissue::heart, Tissue::heart};
  contents.fibres = {{0, 0, 1}, {0, 3, 0}, {0, 0, 0}};
  contents.points.insert(contents.points.begin() + 1, {9, 9, 9});
  for (Tetrahedron& t : contents.tetrahedra) {
    for (std::int32_t& n : t) n += n > 0 ? 1 : 0;
  }
  contents.layers = std::vector<CellLayer>(7, CellLayer::epicardium);
  contents.layers[2] = CellLayer::endocardium;
  contents.stimulated = {kNever, 1, 2, -3, kNever, 0, 8};
  const HeartMesh mesh = heart_mesh_of(contents, {});
  EXPECT_EQ(mesh.points, small().points);
  EXPECT_THAT(mesh.tetrahedra, ElementsAre(small().tetrahedra[1], small().tetrahedra[0], small().tetrahedra[2]));
  EXPECT_THAT(mesh.fibres, ElementsAre(Vector3{0, 1, 0}, Vector3{1, 0, 0}));
  EXPECT_EQ(mesh.layers[1], CellLayer::endocardium);
  EXPECT_EQ(mesh.layers[2], CellLayer::epicardium);
  ASSERT_EQ(mesh.stimuli.size(), 2u) << "the stray point's and the blood's are none of the heart's";
  EXPECT_EQ(mesh.stimuli[0].node, 1);
  EXPECT_EQ(mesh.stimuli[0].start, 2);
  EXPECT_EQ(mesh.stimuli[1].node, 4);
  EXPECT_THAT(mesh.description,
              HasSubstr("the heart's tetrahedra put first; points of no tetrahedron left out: 1; 1 of "
                        "the heart's tetrahedra without a fibre, along x"));
}

TEST(MeshFile, RenumbersWhereTheHeartDoesNotComeFirst) {
  MeshContents contents = backwards();
  contents.fibres = {{0, 2, 0}, {0, 0, 2}, {1, 0, 0}};
  contents.stimulated = {7, 4, 3, 2, 1, 0};  // of the point at (0, 0, 0): 0
  contents.layers = {CellLayer::epicardium, CellLayer::midmyocardium, CellLayer::epicardium,
                     CellLayer::epicardium, CellLayer::epicardium,    CellLayer::endocardium};
  const HeartMesh mesh = heart_mesh_of(contents, {});
  EXPECT_THAT(mesh.description, HasSubstr("renumbered, the heart first"));
  EXPECT_THAT(mesh.description, Not(HasSubstr("along x")));
  EXPECT_EQ(mesh.heart_nodes, 5u);
  check_mesh(mesh);
  for (std::size_t t = 0; t < 2; ++t) {
    // The tetrahedron with the point at 0 has its fibre along y.
    const bool first = std::any_of(mesh.tetrahedra[t].begin(), mesh.tetrahedra[t].end(), [&](std::int32_t n) {
      return mesh.points[static_cast<std::size_t>(n)] == Vector3{};
    });
    EXPECT_EQ(mesh.fibres[t], first ? (Vector3{0, 1, 0}) : (Vector3{0, 0, 1}));
  }
  ASSERT_EQ(mesh.stimuli.size(), 5u);
  for (const Stimulus& stimulus : mesh.stimuli) {
    const auto node = static_cast<std::size_t>(stimulus.node);
    EXPECT_EQ(mesh.points[node], small().points[static_cast<std::size_t>(stimulus.start)]);
    const CellLayer layer = stimulus.start == 0   ? CellLayer::endocardium
                            : stimulus.start == 4 ? CellLayer::midmyocardium
                                                  : CellLayer::epicardium;
    EXPECT_EQ(mesh.layers[node], layer);
  }
}

TEST(MeshFile, UnitsBallsAndElectrodes) {
  MeshFileOptions options;
  options.unit = 10;
  options.stimulated = {{{0, 0, 0}, 2}, {{10, 0, 0}, 0}, {{0, 20, 20}, 1}};  // the last holds blood alone
  options.electrodes = {{"a", {12, 11, 9}}, {"RL", {-1, 0, 0}}};
  MeshContents contents = small();
  contents.stimulated = {9, 9, 9, 9, 9, 9};
  const HeartMesh mesh = heart_mesh_of(contents, options);
  EXPECT_EQ(mesh.points[4], (Vector3{10, 10, 10}));
  EXPECT_NEAR(mesh.spacing, 10 * std::cbrt(1.5), 1e-12);
  ASSERT_EQ(mesh.stimuli.size(), 2u);
  EXPECT_EQ(mesh.stimuli[1].node, 1);
  EXPECT_EQ(mesh.stimuli[1].start, 0);
  ASSERT_EQ(mesh.electrodes.size(), 2u);
  EXPECT_EQ(mesh.electrodes[0].node, 4);
  EXPECT_EQ(mesh.electrodes[1].node, 0);
  EXPECT_EQ(mesh.ground, 0);
  options.electrodes.push_back(options.electrodes[0]);
  EXPECT_THAT(refusal(contents, options), HasSubstr("named twice"));
}

TEST(MeshFile, WhatCannotBeSolvedOnIsRefused) {
  MeshContents contents = small();
  contents.tissues.assign(3, Tissue::lung);
  EXPECT_THAT(refusal(contents), HasSubstr("small.vtu: has no heart"));
  contents = backwards();
  std::swap(contents.tetrahedra[1][0], contents.tetrahedra[1][1]);
  EXPECT_THAT(refusal(contents), HasSubstr("nodes 3, 4, 2 and 1 is inside out")) << "numbers of the file";
  contents = small();
  contents.points[5] = {kNever, 0, 0};
  EXPECT_THAT(refusal(contents), HasSubstr("is inside out or flat"));
  contents = small();
  contents.points.insert(contents.points.end(), {{3, 0, 0}, {4, 0, 0}, {3, 1, 0}, {3, 0, 1}});
  contents.tetrahedra.push_back({6, 7, 8, 9});
  contents.tissues.push_back(Tissue::heart);
  EXPECT_THAT(refusal(contents), HasSubstr("points 0 and 6 are in parts that share no point"));
  contents = small();
  for (std::size_t t = 0; t < 3; ++t) contents.tetrahedra.push_back(contents.tetrahedra[t]);
  contents.tissues.assign(6, Tissue::heart);
  EXPECT_THAT(refusal(contents), HasSubstr("has no surface"));
  contents.tetrahedra.clear();
  EXPECT_THAT(refusal(contents), HasSubstr("has no tetrahedra"));
}

// Two tetrahedra with a triangle between them, and these values of their tissues, fibres, layers.
std::string written(const std::string& tissues, const std::string& fibres, const std::string& layers, int kind = 10) {
  // Tests of one program run side by side in one folder.
  std::string path = std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".vtu";
  std::ofstream out(path);
  const auto array = [&](const char* name, const char* type, int components, const std::string& values) {
    if (values.empty()) return;
    out << fmt::format(R"(<DataArray type="{}" Name="{}" NumberOfComponents="{}" format="ascii">{}</DataArray>)", type,
                       name, components, values);
  };
  out << R"(<VTKFile type="UnstructuredGrid" byte_order="LittleEndian"><UnstructuredGrid>)"
      << R"(<Piece NumberOfPoints="5" NumberOfCells="3"><PointData>)";
  array("layer", "UInt8", 1, layers);
  array("stimulus", "Float32", 1, "-1 0 2.5 nan 3");
  out << "</PointData><CellData>";
  array("tissue", "Int32", 1, tissues);
  array("fibre", "Float64", 3, fibres);
  out << "</CellData><Points>";
  array("Points", "Float64", 3, "0 0 0  1 0 0  0 1 0  0 0 1  1 1 1");
  out << "</Points><Cells>";
  array("connectivity", "Int64", 1, "0 1 2 3  1 2 3  1 2 3 4");
  array("offsets", "Int64", 1, "4 7 11");
  array("types", "UInt8", 1, fmt::format("10 5 {}", kind));
  out << "</Cells></Piece></UnstructuredGrid></VTKFile>";
  return path;
}

TEST(MeshFile, ReadsTheArraysOfAVtu) {
  const MeshContents contents = read_vtu_contents(written("1 99 4", "1 0 0  9 9 9  0 0 2", "0 1 2 0 77"));
  EXPECT_EQ(contents.points.size(), 5u);
  EXPECT_THAT(contents.tetrahedra, ElementsAre(Tetrahedron{0, 1, 2, 3}, Tetrahedron{1, 2, 3, 4}));
  EXPECT_THAT(contents.tissues, ElementsAre(Tissue::heart, Tissue::bone));
  EXPECT_THAT(contents.fibres, ElementsAre(Vector3{1, 0, 0}, Vector3{0, 0, 2}));
  EXPECT_THAT(contents.layers, ElementsAre(CellLayer::epicardium, CellLayer::midmyocardium, CellLayer::endocardium,
                                           CellLayer::epicardium, CellLayer::epicardium));
  EXPECT_EQ(contents.stimulated[2], 2.5);
  const MeshContents bare = read_vtu_contents(written("", "", ""));
  EXPECT_THAT(bare.tissues, ElementsAre(Tissue::heart, Tissue::heart));
  EXPECT_TRUE(bare.fibres.empty() && bare.layers.empty());
}

TEST(MeshFile, ArraysThatHoldWhatTheyCannotAreRefused) {
  for (const char* tissues : {"1 0 5", "1 0 -1", "1 0 0.5", "1 0 nan", "1 0"}) {
    EXPECT_THROW(read_vtu_contents(written(tissues, "", "")), Error) << tissues;
  }
  EXPECT_THROW(read_vtu_contents(written("", "", "0 0 0 0 3")), Error);
  EXPECT_THROW(read_vtu_contents(written("", "1 0 0", "")), Error);
  EXPECT_THROW(read_vtu_contents(written("", "", "", 14)), Error);
  EXPECT_THROW(read_vtu_contents("not-there.vtu"), Error);
}

}  // namespace
}  // namespace weft::kernels::ecg
