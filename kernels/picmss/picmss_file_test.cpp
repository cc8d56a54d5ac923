#include "kernels/picmss/picmss_file.hpp"

#include <gtest/gtest.h>

namespace weft::kernels::picmss {
namespace {

TEST(PicmssFile, ThePapersHeaders) {
  EXPECT_EQ(first_header_values(1), 118U);
  EXPECT_EQ(kStepHeaderValues, 34U);
  // 1.62 GiB in the first step, and 0.75 in the others.
  const PicmssLayout layout(LineGrid({256, 256, 256}), 10);
  EXPECT_EQ(layout.header_bytes(0), 416U + 1080);
  EXPECT_EQ(layout.step_address(1), 1496U + 72 * 16777216U + 32 * 16581375U);
  EXPECT_EQ(layout.step_address(2) - layout.step_address(1), 184U + 48 * 16777216U);
}

TEST(PicmssFile, SectionsLieOneBehindTheOther) {
  const PicmssLayout layout(LineGrid({4, 3, 2}), 3);
  for (std::uint64_t step = 0; step < 3; ++step) {
    std::uint64_t address = layout.step_address(step) + layout.header_bytes(step);
    const std::vector<Section> sections = layout.sections(step);
    EXPECT_EQ(sections.size(), step == 0 ? 10U : 6U);
    for (const Section& section : sections) {
      EXPECT_EQ(section.address, address);
      address = section.end();
    }
    EXPECT_EQ(address, layout.step_address(step + 1));
  }
  EXPECT_EQ(layout.step_address(1), 416U + 3 * 108 + 1920);
  EXPECT_EQ(layout.bytes(), 416U + 3 * 108 + 1920 + 2 * 1336);
}

TEST(PicmssFile, WhatTheHeadersSay) {
  const LineGrid grid({4, 3, 2});
  const Ranges ranges(18, 0.5);
  const FirstHeader first = first_header(grid, 40, 2, ranges);
  EXPECT_EQ(first.title_and_names[0], 1);
  EXPECT_EQ(first.title_and_names[2], 'N');
  EXPECT_EQ(first.title_and_names[2 + kPicmssTitle.size() + 1], 9);
  EXPECT_EQ(first.title_and_names[50], 'i');
  EXPECT_EQ(first.title_and_names[51], 0);
  ASSERT_EQ(first.zones.size(), 2U);
  const ZoneHeader& zone = first.zones[1];
  EXPECT_EQ(zone.mark, 299.0F);
  EXPECT_EQ(zone.name_and_strand,
            (std::array<std::int32_t, 13>{'s', 't', 'e', 'p', ' ', '0', '0', '0', '4', '1', 0, -1, 0}));
  EXPECT_EQ(zone.time, 41.0);
  EXPECT_EQ(zone.shape, (std::array<std::int32_t, 11>{-1, 5, 0, 0, 0, 24, 6, 0, 0, 0, 0}));
  EXPECT_EQ(first.marks, (std::array<float, 2>{357.0F, 299.0F}));
  EXPECT_EQ(first.variables, (std::array<std::int32_t, 12>{2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, -1}));
  EXPECT_EQ(first.ranges[17], 0.5);
  const StepHeader later = step_header(Ranges(12, 0.25));
  EXPECT_EQ(later.mark, 299.0F);
  EXPECT_EQ(later.variables,
            (std::array<std::int32_t, 21>{2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 1, 0, 0, 0, -1, -1, -1, -1, -1, -1, 0}));
  EXPECT_EQ(later.ranges[11], 0.25);
}

}  // namespace
}  // namespace weft::kernels::picmss
