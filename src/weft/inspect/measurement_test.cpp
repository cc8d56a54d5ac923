// What Weft's reader really asks for is what was predicted, request by request; and what HDF5 asks for, too.
#include "weft/inspect/measurement.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "weft/inspect/sample_reader.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"

namespace weft::inspect {
namespace {

using storage::Handle;

struct Case {
  const char* name;
  survey::Form form;
  Shape shape;  // in the file
  Shape seen;
  Shape chunk;  // none: in one piece
  const char* axes;
  hid_t type;
};

class SampledReads : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    path_ = std::string("sampled_reads_") + GetParam().name + ".h5";
    // By an implicit index chunks lie one behind the other, which is what is predicted; by a B-tree some do not.
    const Handle file(
        H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, storage::file_access(H5F_LIBVER_V110, H5F_LIBVER_V110)));
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
    if (!GetParam().chunk.empty()) {
      const auto chunk = storage::to_hsize(GetParam().chunk);
      H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
    }
    const Handle dataset =
        storage::create_dataset(file, "/V", GetParam().type, storage::simple_space(GetParam().shape), properties);
    facts_ = survey::facts_of(dataset, "/V");
    known_.form = GetParam().form;
    known_.shape = GetParam().seen;
    known_.axes = layout::parse_axes(GetParam().axes, known_.shape.size());
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string path_;
  survey::DatasetFacts facts_;
  survey::KnownAxes known_;
};

TEST_P(SampledReads, AskForWhatWasPredicted) {
  const Arrangement stored = *arrangement_of(facts_, known_);
  SampleReader reader(path_, facts_, known_, stored);
  std::mt19937 random(3);
  for (const layout::AccessCost& access : {layout::AccessCost{}, layout::AccessCost{1e-6, 5e9, 20'000}}) {
    for (int sample = 0; sample < 30; ++sample) {
      Box box;
      for (const std::uint64_t extent : known_.shape) {
        const std::uint64_t count = std::array{std::uint64_t{1}, extent, 1 + random() % extent}[random() % 3];
        box.count.push_back(count);
        box.start.push_back(random() % (extent - count + 1));
      }
      const std::vector<Box> boxes = boxes_in(stored, known_, box);
      EXPECT_EQ(reader.through_weft(box, access).price, through_weft(stored, boxes, access));
      const Taken taken = reader.through_hdf5(box);
      if (taken.counted) {
        EXPECT_EQ(taken.price, through_hdf5(stored, boxes, {}));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, SampledReads,
    testing::Values(
        Case{"piece", survey::Form::plain, {31, 700, 3}, {31, 700, 3}, {}, "step,node,c", H5T_NATIVE_DOUBLE},
        Case{"chunks", survey::Form::plain, {31, 700, 3}, {31, 700, 3}, {7, 100, 3}, "step,node,c", H5T_IEEE_F32BE},
        Case{"odd", survey::Form::plain, {31, 700, 3}, {31, 700, 3}, {31, 9, 2}, "step,node,c", H5T_NATIVE_SHORT},
        Case{"across", survey::Form::plain, {700, 31}, {700, 31}, {100, 31}, "node,step", H5T_NATIVE_CHAR},
        Case{"folded", survey::Form::folded, {2100, 3}, {30, 70, 3}, {}, "step,node,c", H5T_NATIVE_DOUBLE},
        Case{"whole", survey::Form::folded, {2100, 3}, {30, 70, 3}, {140, 3}, "step,node,c", H5T_NATIVE_DOUBLE},
        Case{"parts", survey::Form::folded, {2100, 3}, {30, 70, 3}, {14, 3}, "step,node,c", H5T_NATIVE_DOUBLE},
        Case{"askew", survey::Form::folded, {2100}, {30, 70}, {99}, "step,node", H5T_NATIVE_DOUBLE},
        Case{"apart", survey::Form::one_a_step, {20, 30}, {1, 20, 30}, {6, 30}, "step,y,x", H5T_NATIVE_DOUBLE}),
    [](const auto& one) { return std::string(one.param.name); });

class MeasuredFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  void make(const std::string& filters) {
    const Handle file(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE));
    const std::array<hsize_t, 2> chunk{10, 500};
    H5Pset_chunk(properties, 2, chunk.data());
    storage::add_filters(properties, storage::parse_filters(filters, 8));
    const Handle dataset =
        storage::create_dataset(file, "/V", H5T_NATIVE_DOUBLE, storage::simple_space({40, 2000}), properties);
    std::vector<double> values(std::size_t{40} * 2000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 500);
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    facts_ = survey::facts_of(dataset, "/V");
  }

  Measured measured() {
    survey::KnownAxes known;
    known.shape = facts_.shape;
    known.axes = layout::default_axes(2);
    Inspection inspection = looked_at(facts_, known);
    price(inspection, {});
    Measuring how{path_, {}, {}};
    how.seconds = 0.5;
    return measure(inspection, how);
  }

  std::string path_ = std::string("measured_") + testing::UnitTest::GetInstance()->current_test_info()->name() + ".h5";
  survey::DatasetFacts facts_;
};

TEST_F(MeasuredFile, StandsBesideWhatWasPredicted) {
  make("none");
  const Measured all = measured();
  ASSERT_EQ(all.reads.size(), 3U);
  for (const MeasuredRead& read : all.reads) {
    ASSERT_TRUE(read.weft) << read.left_out;
    EXPECT_GE(read.weft->samples, 1U);
    EXPECT_EQ(read.weft->measured, read.weft->predicted) << read.name;
    ASSERT_TRUE(read.hdf5);
    EXPECT_GT(read.hdf5->seconds, 0);
  }
}

TEST_F(MeasuredFile, FilteredChunksAreReadOneByOne) {
  make("shuffle+deflate");
  for (const MeasuredRead& read : measured().reads) {
    ASSERT_TRUE(read.weft) << read.left_out;
    EXPECT_EQ(read.weft->measured.requests, read.weft->predicted.requests) << read.name;
    EXPECT_NEAR(static_cast<double>(read.weft->measured.bytes), static_cast<double>(read.weft->predicted.bytes),
                0.2 * static_cast<double>(read.weft->predicted.bytes));
  }
}

TEST_F(MeasuredFile, WhatWouldTakeTooLongIsLeftOut) {
  make("none");
  survey::KnownAxes known;
  known.shape = facts_.shape;
  known.axes = layout::default_axes(2);
  Inspection inspection = looked_at(facts_, known);
  price(inspection, {});
  Measuring how{path_, {}, {}};
  how.access.latency_s = 10;
  for (const MeasuredRead& read : measure(inspection, how).reads) {
    EXPECT_FALSE(read.weft || read.hdf5);
    EXPECT_NE(read.left_out.find("left out"), std::string::npos);
  }
}

}  // namespace
}  // namespace weft::inspect
