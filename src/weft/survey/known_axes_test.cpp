// Files made as each convention has them, with HDF5's own calls, and what their axes are taken to be.
#include "weft/survey/known_axes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5_hl.h>

#include <filesystem>
#include <numeric>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"

namespace weft::survey {
namespace {

using storage::Handle;

class KnownAxesTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::string("known_axes_") + testing::UnitTest::GetInstance()->current_test_info()->name() + ".h5";
    file_ = Handle(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  }
  void TearDown() override {
    file_.reset();
    std::filesystem::remove(path_);
  }

  Handle dataset(const std::string& path, const Shape& shape, hid_t type = H5T_NATIVE_DOUBLE, bool grows = false) {
    const std::vector<hsize_t> extents = storage::to_hsize(shape);
    std::vector<hsize_t> most = extents;
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE));
    if (grows) {
      most[0] = H5S_UNLIMITED;
      H5Pset_chunk(properties, static_cast<int>(extents.size()), extents.data());
    }
    const Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), most.data()));
    return storage::create_dataset(file_, path, type, space, properties);
  }

  Handle group(const std::string& path) {
    return Handle(H5Gcreate2(file_, path.c_str(), storage::with_groups_on_the_way(), H5P_DEFAULT, H5P_DEFAULT));
  }

  static void fixed_texts(hid_t object, const char* name, const std::vector<std::string>& texts, std::size_t length) {
    std::string all;
    for (std::string text : texts) {
      text.resize(length, '\0');
      all += text;
    }
    const Handle type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type, length);
    const Handle attribute(
        H5Acreate2(object, name, type, storage::simple_space({texts.size()}), H5P_DEFAULT, H5P_DEFAULT));
    H5Awrite(attribute, type, all.data());
  }

  void scale(hid_t of, unsigned axis, const std::string& path) {
    const Handle scale(H5Dopen2(file_, path.c_str(), H5P_DEFAULT));
    storage::make_scale(scale, path.substr(1));
    H5DSattach_scale(of, scale, axis);
  }

  std::optional<KnownAxes> known(const std::string& path) {
    const Handle opened(H5Dopen2(file_, path.c_str(), H5P_DEFAULT));
    return known_axes(file_, facts_of(opened, path));
  }
  // "step,node (VTKHDF)"; "none" where there are none.
  std::string text(const std::string& path) {
    const auto found = known(path);
    return found ? to_text(*found) : "none";
  }

  std::string path_;
  Handle file_;
};

TEST_F(KnownAxesTest, ChasteNamesItsVariablesAndTimes) {
  Handle data = dataset("/Data", {101, 375, 2}, H5T_NATIVE_DOUBLE, true);
  fixed_texts(data, "Variable Details", {"V(mV)", "Phi_e(mV)"}, 100);
  fixed_texts(dataset("/Data_Unlimited", {101}, H5T_NATIVE_DOUBLE, true), "Unit", {"msecs"}, 100);
  EXPECT_EQ(text("/Data"), "step,node,variable (Chaste)");
  EXPECT_EQ(text("/Data_Unlimited"), "step (Chaste)");
  const KnownAxes found = *known("/Data");
  EXPECT_EQ(found.time, "/Data_Unlimited");
  EXPECT_EQ(found.time_units, "msecs");
  ASSERT_EQ(found.variables.size(), 2U);
  EXPECT_EQ(found.variables[1].name, "Phi_e");
  EXPECT_EQ(found.variables[1].units, "mV");
  EXPECT_EQ(found.form, Form::plain);
  EXPECT_EQ(found.shape, (Shape{101, 375, 2}));
}

TEST_F(KnownAxesTest, OlderChasteFilesHaveTimeInMsec) {
  fixed_texts(dataset("/Data", {451, 11, 1}, H5T_NATIVE_DOUBLE, true), "Variable Details", {"V(mV)"}, 20);
  dataset("/Time", {451}, H5T_NATIVE_DOUBLE, true);
  EXPECT_EQ(text("/Data"), "step,node,variable (Chaste)");
  EXPECT_EQ(known("/Data")->time, "/Time");
  EXPECT_EQ(known("/Data")->time_units, "msec");
  EXPECT_EQ(text("/Time"), "step (Chaste)");
}

TEST_F(KnownAxesTest, ScalesSayWhichAxisIsTimeWhereverItStands) {
  Handle wind = dataset("/wind", {4, 60, 7, 2});
  for (const auto& [name, extent] :
       std::vector<std::pair<std::string, std::uint64_t>>{{"/lev", 4}, {"/when", 60}, {"/node, all", 7}, {"/nv", 2}}) {
    dataset(name, {extent});
  }
  storage::write_attribute(Handle(H5Dopen2(file_, "/when", H5P_DEFAULT)), "units", std::string("days since 1970-1-1"));
  scale(wind, 0, "/lev");
  scale(wind, 1, "/when");
  scale(wind, 2, "/node, all");
  scale(wind, 3, "/nv");
  EXPECT_EQ(text("/wind"), "lev,step,node__all,component (CF dimension scales)");
  EXPECT_EQ(known("/wind")->time, "/when");
  EXPECT_EQ(known("/wind")->time_units, "days since 1970-1-1");
  EXPECT_EQ(layout::parse_axes(axis_names(known("/wind")->axes), 4), known("/wind")->axes) << "can be typed";
  EXPECT_EQ(text("/when"), "step (CF dimension scales)");
  EXPECT_EQ(text("/lev"), "none");
}

TEST_F(KnownAxesTest, WithoutATimeTheUnlimitedScaleIsTheStep) {
  Handle sample = dataset("/sample", {60, 7}, H5T_NATIVE_DOUBLE, true);
  Handle fixed = dataset("/mask", {7, 7});
  dataset("/shot", {60}, H5T_NATIVE_DOUBLE, true);
  dataset("/x", {7});
  scale(sample, 0, "/shot");
  scale(sample, 1, "/x");
  scale(fixed, 0, "/x");
  scale(fixed, 1, "/x");
  EXPECT_EQ(text("/sample"), "step,x (CF dimension scales)");
  EXPECT_EQ(text("/shot"), "none") << "a coordinate";
  EXPECT_EQ(text("/mask"), "none") << "its axes are known, and none is a time";
}

TEST_F(KnownAxesTest, WhereOnlyTheTimeHasAScaleTheRestIsAsUsual) {
  const Handle v = dataset("/v", {60, 500, 2});
  dataset("/time", {60});
  scale(v, 0, "/time");
  EXPECT_EQ(text("/v"), "step,node,component (CF dimension scales)");
}

TEST_F(KnownAxesTest, LabelsDoWhereThereAreNoScales) {
  Handle v = dataset("/v", {7, 60});
  H5DSset_label(v, 0, "node");
  H5DSset_label(v, 1, "time");
  EXPECT_EQ(text("/v"), "node,time (CF dimension scales)");
}

TEST_F(KnownAxesTest, VtkhdfMeshesFoldStepsAndNodes) {
  fixed_texts(group("/VTKHDF"), "Type", {"UnstructuredGrid"}, 16);
  storage::write_attribute(group("/VTKHDF/Steps"), "NSteps", std::int64_t{5});
  dataset("/VTKHDF/Steps/Values", {5});
  dataset("/VTKHDF/Points", {30, 3});
  dataset("/VTKHDF/Connectivity", {120}, H5T_NATIVE_INT64);
  dataset("/VTKHDF/PointData/V", {150});
  dataset("/VTKHDF/CellData/stress", {60, 9});
  dataset("/VTKHDF/PointData/uneven", {150});
  const auto offsets = [&](const std::string& path, std::vector<std::int64_t> values) {
    const Handle made = dataset(path, {values.size()}, H5T_NATIVE_INT64);
    H5Dwrite(made, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  };
  offsets("/VTKHDF/Steps/PointDataOffsets/V", {0, 30, 60, 90, 120});
  offsets("/VTKHDF/Steps/CellDataOffsets/stress", {0, 12, 24, 36, 48, 60});
  offsets("/VTKHDF/Steps/PointDataOffsets/uneven", {0, 30, 60, 90, 121});
  offsets("/VTKHDF/Steps/PointOffsets", {0, 0, 0, 0, 0});
  EXPECT_EQ(text("/VTKHDF/PointData/V"), "step,node (VTKHDF)");
  EXPECT_EQ(known("/VTKHDF/PointData/V")->shape, (Shape{5, 30}));
  EXPECT_EQ(known("/VTKHDF/PointData/V")->form, Form::folded);
  EXPECT_EQ(known("/VTKHDF/PointData/V")->time, "/VTKHDF/Steps/Values");
  EXPECT_EQ(text("/VTKHDF/CellData/stress"), "step,cell,component (VTKHDF)");
  EXPECT_EQ(known("/VTKHDF/CellData/stress")->shape, (Shape{5, 12, 9}));
  for (const char* none :
       {"/VTKHDF/PointData/uneven", "/VTKHDF/Points", "/VTKHDF/Connectivity", "/VTKHDF/Steps/PointOffsets"}) {
    EXPECT_EQ(text(none), "none") << none;
  }
}

TEST_F(KnownAxesTest, VtkhdfGridsHaveAStepAxis) {
  fixed_texts(group("/VTKHDF"), "Type", {"ImageData"}, 9);
  dataset("/VTKHDF/PointData/V", {5, 4, 3, 2});
  EXPECT_EQ(text("/VTKHDF/PointData/V"), "none") << "no steps";
  storage::write_attribute(group("/VTKHDF/Steps"), "NSteps", std::int64_t{5});
  EXPECT_EQ(text("/VTKHDF/PointData/V"), "step,z,y,x (VTKHDF)");
  dataset("/VTKHDF/PointData/E", {5, 4, 3, 2, 3});
  EXPECT_EQ(text("/VTKHDF/PointData/E"), "step,z,y,x,component (VTKHDF)");
}

TEST_F(KnownAxesTest, OpenPmdHasADatasetAStep) {
  storage::write_attribute(file_, "openPMD", std::string("1.1.0"));
  fixed_texts(file_, "basePath", {"/data/%T/"}, 9);
  fixed_texts(file_, "meshesPath", {"fields/"}, 7);
  fixed_texts(file_, "particlesPath", {"particles/"}, 10);
  fixed_texts(group("/data/40/fields/E"), "axisLabels", {"x", "y", "t"}, 1);
  dataset("/data/40/fields/E/x", {8, 9, 7});
  fixed_texts(dataset("/data/40/fields/rho", {8, 9}), "axisLabels", {"z", "y"}, 1);
  dataset("/data/40/particles/e/position/x", {1000});
  dataset("/data/40/other", {10, 10});
  EXPECT_EQ(text("/data/40/fields/rho"), "step,z,y (openPMD)");
  EXPECT_EQ(known("/data/40/fields/rho")->shape, (Shape{1, 8, 9}));
  EXPECT_EQ(known("/data/40/fields/rho")->series, "/data/%T/fields/rho");
  EXPECT_EQ(text("/data/40/fields/E/x"), "step,x,y,t_axis (openPMD)");
  EXPECT_EQ(text("/data/40/particles/e/position/x"), "step,particle (openPMD)");
  EXPECT_EQ(text("/data/40/other"), "none");
}

TEST_F(KnownAxesTest, WeftKnowsItsFields) {
  const Handle weft = group("/weft");
  storage::write_attribute(weft, "format_version", std::int64_t{1});
  storage::write_names(weft, "fields", {"time", "V", "leads"});
  storage::write_attribute(dataset("/V", {6, 4, 3}), "weft_layout", std::string(R"({"axes": "step,node,component"})"));
  storage::write_attribute(dataset("/leads", {6, 12}), "weft_support", std::string("global"));
  dataset("/time", {6});
  dataset("/weft/segments/0/V", {6, 4, 3});
  dataset("/maps/V/peak", {8, 400});
  dataset("/mine", {600, 40});
  EXPECT_EQ(text("/V"), "step,node,component (Weft)");
  EXPECT_EQ(known("/V")->time, "/time");
  EXPECT_EQ(text("/weft/segments/0/V"), "step,node,component (Weft)");
  EXPECT_EQ(text("/leads"), "step,component (Weft)");
  EXPECT_EQ(text("/time"), "step (Weft)");
  EXPECT_EQ(text("/maps/V/peak"), "none");
  EXPECT_EQ(text("/mine"), "step,node (assumed)");
}

TEST_F(KnownAxesTest, AGridOfWeftHasItsAxes) {
  const Handle weft = group("/weft");
  storage::write_attribute(weft, "format_version", std::int64_t{1});
  storage::write_names(weft, "fields", {"time", "E"});
  storage::write_attribute(group("/mesh"), "grid_shape", std::vector<std::int64_t>{5, 4});
  dataset("/E", {6, 5, 4, 3});
  EXPECT_EQ(text("/E"), "step,y,x,component (Weft)");
}

TEST_F(KnownAxesTest, WhatLooksLikeStepsIsAssumed) {
  dataset("/run/V", {100, 5000});
  dataset("/run/time", {100});
  dataset("/states", {100, 5000, 20});
  dataset("/image", {100, 64, 48});
  dataset("/grid", {100, 8, 64, 48});
  dataset("/tensor", {100, 500, 3, 3});
  dataset("/counts", {100, 50}, H5T_NATIVE_INT32, true);
  dataset("/energy", {100}, H5T_NATIVE_DOUBLE, true);
  EXPECT_EQ(text("/run/V"), "step,node (assumed)");
  EXPECT_EQ(known("/run/V")->time, "/run/time");
  EXPECT_EQ(text("/run/time"), "step (assumed)");
  EXPECT_EQ(text("/states"), "step,node,component (assumed)");
  EXPECT_EQ(text("/image"), "step,y,x (assumed)");
  EXPECT_EQ(text("/grid"), "step,z,y,x (assumed)");
  EXPECT_EQ(text("/tensor"), "step,node,component,component (assumed)");
  EXPECT_EQ(text("/counts"), "step,node (assumed)");
  EXPECT_EQ(text("/energy"), "step (assumed)");
}

TEST_F(KnownAxesTest, WhatDoesNotLookLikeStepsHasNoAxes) {
  dataset("/xyz", {5000, 3});
  dataset("/mesh/points", {5000, 8});
  dataset("/tetrahedra", {5000, 4}, H5T_NATIVE_INT64);
  dataset("/mesh/connectivity", {5000, 8}, H5T_NATIVE_INT64);
  dataset("/one", {1, 5000});
  dataset("/plain", {5000});
  dataset("/none", {0, 7}, H5T_NATIVE_DOUBLE, false);
  const Handle text_type(H5Tcopy(H5T_C_S1));
  dataset("/names", {50, 70}, text_type);
  for (const char* path :
       {"/xyz", "/mesh/points", "/tetrahedra", "/mesh/connectivity", "/one", "/plain", "/none", "/names"}) {
    EXPECT_EQ(text(path), "none") << path;
  }
}

TEST_F(KnownAxesTest, AUserKnowsBetter) {
  const Handle data = dataset("/V", {5000, 100});
  dataset("/time", {100});
  const KnownAxes told = told_axes(file_, facts_of(data, "/V"), "node,time");
  EXPECT_EQ(to_text(told), "node,time (--axes)");
  EXPECT_EQ(told.time, "/time");
  try {
    told_axes(file_, facts_of(data, "/V"), "step,node,component");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), testing::HasSubstr("/V: axes 'step,node,component': 3 names for a dataset of 2 axes"));
  }
}

TEST(ChunkForms, GoThereAndBack) {
  KnownAxes folded;
  folded.form = Form::folded;
  folded.shape = {5, 30, 3};
  EXPECT_EQ(chunk_in_file(folded, {2, 30, 3}), (Shape{60, 3}));
  EXPECT_EQ(chunk_in_file(folded, {1, 10, 3}), (Shape{10, 3}));
  EXPECT_EQ(chunk_in_file(folded, {2, 10, 3}), std::nullopt);
  EXPECT_EQ(chunk_in_file(folded, {1, 7, 3}), std::nullopt);
  EXPECT_EQ(chunk_as_seen(folded, {60, 3}), (Shape{2, 30, 3}));
  EXPECT_EQ(chunk_as_seen(folded, {10, 1}), (Shape{1, 10, 1}));
  EXPECT_EQ(chunk_as_seen(folded, {45, 3}), std::nullopt);
  KnownAxes apart;
  apart.form = Form::one_a_step;
  apart.shape = {1, 8, 9};
  EXPECT_EQ(chunk_in_file(apart, {1, 4, 9}), (Shape{4, 9}));
  EXPECT_EQ(chunk_as_seen(apart, {4, 9}), (Shape{1, 4, 9}));
}

}  // namespace
}  // namespace weft::survey
