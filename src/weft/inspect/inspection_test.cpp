// Facts in, prices and advice out: no file is touched.
#include "weft/inspect/inspection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/layout/design.hpp"
#include "weft/support/error.hpp"

namespace weft::inspect {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A dataset of doubles whose every chunk is in the file; in one piece where no chunk is given.
survey::DatasetFacts facts(const Shape& shape, const Shape& chunk = {}) {
  survey::DatasetFacts made;
  made.path = "/V";
  made.shape = made.most = shape;
  made.type = "float64";
  made.numbers = true;
  made.element_bytes = 8;
  made.storage = chunk.empty() ? survey::StorageKind::contiguous : survey::StorageKind::chunked;
  made.chunk = chunk;
  made.stored_bytes = element_count(shape) * 8;
  if (!chunk.empty()) {
    made.stored_chunks = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) made.stored_chunks *= ceil_div(shape[i], chunk[i]);
    made.stored_bytes = made.stored_chunks * element_count(chunk) * 8;
  }
  return made;
}

survey::KnownAxes plain(const Shape& shape, std::string_view axes) {
  survey::KnownAxes known;
  known.shape = shape;
  known.axes = layout::parse_axes(axes, shape.size());
  return known;
}

Inspection priced(const survey::DatasetFacts& made, const survey::KnownAxes& known, const Question& question = {}) {
  Inspection inspection = looked_at(made, known);
  price(inspection, question);
  return inspection;
}

const PricedRead& read(const Inspection& inspection, std::string_view name) {
  const auto found = std::find_if(inspection.reads.begin(), inspection.reads.end(),
                                  [&](const PricedRead& one) { return one.name == name; });
  EXPECT_NE(found, inspection.reads.end()) << name;
  return *found;
}

const Shape kShape{151, 400000, 2};

TEST(Inspection, RowsTradeTracesForSnapshots) {
  const Inspection rows = priced(facts(kShape, {41, 400000, 2}), plain(kShape, "step,node,component"));
  EXPECT_EQ(read(rows, "trace").hdf5, (Price{151, 2416}));
  EXPECT_EQ(read(rows, "trace").weft, (Price{151, 2416}));
  EXPECT_EQ(read(rows, "trace").asked_bytes, 2416U);
  EXPECT_EQ(read(rows, "snapshot").hdf5, (Price{1, 6'400'000}));
  EXPECT_EQ(rows.better, (Shape{19, 3449, 2}));
  EXPECT_EQ(read(rows, "trace").weft_repacked, (Price{8, 7'891'440}));
  EXPECT_EQ(read(rows, "trace").hdf5_repacked, (Price{8, 8 * 1'048'496ULL}));
  EXPECT_EQ(read(rows, "snapshot").weft_repacked, (Price{116, 6'400'000}));
  EXPECT_EQ(read(rows, "block").weight, 0);
  EXPECT_EQ(read(rows, "block").asked_bytes, 25'000U * 2416);
  EXPECT_EQ(rows.advice.kind, AdviceKind::repack);
  EXPECT_EQ(rows.advice.text,
            "a trace takes 151 requests through HDF5, 151.00 ms; repacked it would take 8, 16.39 ms, and a snapshot "
            "116.0 MiB instead of 6.1 MiB");
}

TEST(Inspection, ChunksOfAllStepsMakeSnapshotsDear) {
  const Inspection columns = priced(facts(kShape, {151, 434, 2}), plain(kShape, "step,node,component"));
  EXPECT_EQ(read(columns, "trace").hdf5, (Price{1, 1'048'544}));
  EXPECT_EQ(read(columns, "snapshot").hdf5, (Price{922, 922 * 1'048'544ULL}));
  EXPECT_EQ(columns.advice.text,
            "a snapshot reads 922.0 MiB through HDF5 to return 6.1 MiB; repacked it would read 116.0 MiB, and a trace "
            "8.0 MiB instead of 1.0 MiB");
}

TEST(Inspection, WhatIsWellIsLeft) {
  const Inspection well = priced(facts(kShape, {19, 3449, 2}), plain(kShape, "step,node,component"));
  EXPECT_EQ(well.better, (Shape{19, 3449, 2}));
  EXPECT_EQ(well.advice.kind, AdviceKind::leave);
  Question traces;
  traces.reads = "trace";
  const Inspection other = priced(facts(kShape, {19, 3449, 2}), plain(kShape, "step,node,component"), traces);
  EXPECT_EQ(other.reads.size(), 1U);
  EXPECT_EQ(other.advice.kind, AdviceKind::repack);
}

TEST(Inspection, AnyOrderOfAxes) {
  const Shape shape{400000, 151};
  const Inspection nodes_first = priced(facts(shape), plain(shape, "node,time"));
  EXPECT_EQ(read(nodes_first, "trace").hdf5.requests, 1U);
  EXPECT_EQ(read(nodes_first, "snapshot").asked_bytes, 400000U * 8);
  EXPECT_GT(read(nodes_first, "snapshot").hdf5.bytes, 400'000'000U) << "nearly all of it, through the sieve";
}

TEST(Inspection, PlanesWhereThereAreTwoAxesOfSpace) {
  const Shape shape{40, 64, 64, 64};
  const Inspection grid = priced(facts(shape, {1, 64, 64, 64}), plain(shape, "step,z,y,x"));
  EXPECT_EQ(read(grid, "plane").asked_bytes, 64U * 64 * 8);
  EXPECT_EQ(read(grid, "plane").weight, 0);
}

TEST(Inspection, FilteredChunksArePricedWholeAndDecoded) {
  survey::DatasetFacts made = facts(kShape, {41, 400000, 2});
  made.filters = storage::parse_filters("shuffle+deflate", 8);
  made.stored_bytes /= 4;
  const Inspection filtered = priced(made, plain(kShape, "step,node,component"));
  const PricedRead& trace = read(filtered, "trace");
  EXPECT_EQ(trace.hdf5.requests, 4U);
  EXPECT_EQ(trace.hdf5.bytes, made.stored_bytes);
  EXPECT_NEAR(trace.hdf5.decode_seconds, 4 * 262.4e6 / 250e6, 1e-6);
  EXPECT_EQ(trace.weft.bytes, made.stored_bytes);
  EXPECT_EQ(trace.weft.requests, 4 * ceil_div(65'600'000, 8 << 20));
  EXPECT_EQ(filtered.better, (Shape{7, 2260, 2})) << "its filters are kept, and priced";
  EXPECT_EQ(trace.hdf5_repacked->bytes, 22U * 63'280);
  EXPECT_EQ(filtered.advice.text,
            "a trace decodes whole chunks for 4.20 s to return 2.4 KiB; repacked it would for 22.27 ms");

  layout::DesignRequest request;
  request.shape = kShape;
  request.coding = coding_of(made, made.filters);
  for (const auto& [named, cost] : layout::describe(request, *filtered.better).reads) {
    const Price& priced = *read(filtered, named.name).weft_repacked;
    EXPECT_EQ(priced.requests, cost.requests) << "the layout's price, " << named.name;
    EXPECT_EQ(priced.bytes, cost.bytes);
    EXPECT_DOUBLE_EQ(priced.decode_seconds, cost.decode_seconds);
  }
}

TEST(Inspection, PaddingIsAReasonOfItsOwn) {
  const Shape shape{101, 375, 2};
  const survey::DatasetFacts made = facts(shape, {100, 375, 2});
  EXPECT_EQ(padding_of(made), 2U * 600'000 - 606'000);
  const Inspection inspection = priced(made, plain(shape, "step,node,variable"));
  EXPECT_EQ(inspection.advice.kind, AdviceKind::repack);
  EXPECT_EQ(inspection.advice.text, "50 % of its 1.1 MiB is padding, of chunks that reach beyond it");
}

TEST(Inspection, ChunksLongerThanTheDataset) {
  const Shape shape{3, 40};
  const Inspection inspection = priced(facts(shape, {10, 40}), plain(shape, "step,node"));
  EXPECT_EQ(read(inspection, "trace").hdf5, (Price{1, 3200}));
  EXPECT_EQ(read(inspection, "trace").weft, (Price{1, 2 * 320 + 8}));
  EXPECT_EQ(inspection.padding_bytes, 3200U - 960);
}

TEST(Inspection, UnknownFiltersAreNamed) {
  survey::DatasetFacts made = facts({20, 300}, {20, 300});
  made.filters = {{32013, "filter 32013 (zfp)", 0, {}}};
  const Inspection inspection = looked_at(made, std::nullopt);
  EXPECT_EQ(inspection.advice.kind, AdviceKind::unreadable);
  EXPECT_THAT(inspection.advice.text, HasSubstr("zfp"));
  EXPECT_EQ(priced(made, plain({20, 300}, "step,node")).advice.kind, AdviceKind::unreadable);
}

TEST(Inspection, FoldedStepsHaveNoBetterChunk) {
  survey::KnownAxes folded = plain({500, 3000}, "step,node");
  folded.form = survey::Form::folded;
  for (const Shape& chunk : {Shape{}, Shape{3000}, Shape{1000}, Shape{25000}}) {
    const Inspection inspection = priced(facts({1'500'000}, chunk), folded);
    EXPECT_EQ(inspection.better, std::nullopt);
    EXPECT_EQ(read(inspection, "trace").asked_bytes, 4000U);
    EXPECT_EQ(read(inspection, "snapshot").weft, (Price{1, 24'000})) << to_string(chunk);
    EXPECT_EQ(inspection.advice.kind, AdviceKind::import_series);
    EXPECT_THAT(inspection.advice.text, HasSubstr("steps and nodes lie on one axis"));
  }
  // 25000 elements are 8 steps and a third: traces of 500 steps touch all of the 60 chunks.
  EXPECT_EQ(read(priced(facts({1'500'000}, {25000}), folded), "trace").hdf5, (Price{60, 60 * 200'000ULL}));
  EXPECT_EQ(read(priced(facts({1'500'000}, {3000}), folded), "trace").hdf5, (Price{500, 500 * 24'000ULL}));
}

TEST(Inspection, ADatasetAStepCountsAllOfThemForATrace) {
  survey::KnownAxes apart = plain({1, 64, 64, 64}, "step,z,y,x");
  apart.form = survey::Form::one_a_step;
  Inspection inspection = looked_at(facts({64, 64, 64}, {64, 64, 64}), apart, 40);
  price(inspection, {});
  EXPECT_EQ(read(inspection, "snapshot").asked_bytes, 64U * 64 * 64 * 8);
  EXPECT_EQ(read(inspection, "trace").asked_bytes, 40U * 8);
  EXPECT_EQ(read(inspection, "trace").weft, (Price{40, 320}));
  ASSERT_TRUE(inspection.better);
  EXPECT_EQ(inspection.better->size(), 3U);
  EXPECT_EQ(inspection.advice.kind, AdviceKind::import_series);
  EXPECT_THAT(inspection.advice.text, HasSubstr("takes 40 requests"));
}

TEST(Inspection, WhatCannotBePricedSaysWhy) {
  survey::DatasetFacts compact = facts({20, 300});
  compact.storage = survey::StorageKind::compact;
  EXPECT_THAT(priced(compact, plain({20, 300}, "step,node")).not_priced, HasSubstr("header"));
  compact.storage = survey::StorageKind::view;
  EXPECT_THAT(priced(compact, plain({20, 300}, "step,node")).not_priced, HasSubstr("view"));
  EXPECT_EQ(priced(facts({20}), plain({20}, "step")).reads.size(), 0U);
  Question bad;
  bad.reads = "plane";
  EXPECT_THROW(priced(facts({20, 300}), plain({20, 300}, "step,node"), bad), Error);
}

}  // namespace
}  // namespace weft::inspect
