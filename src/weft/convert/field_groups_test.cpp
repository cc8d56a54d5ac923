#include "weft/convert/field_groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::convert {
namespace {

using view::Stretch;
using view::ViewField;

ViewField component(const std::string& name, const std::string& dataset, std::uint64_t c) {
  return {name,
          DataType::float64,
          storage::Support::nodes,
          40,
          1,
          "mV",
          {{".", dataset, {7, 40, 2}, Box{{0, 0, c}, {7, 40, 1}}}}};
}

TEST(FieldGroups, ComponentsOfADatasetAreReadOnce) {
  const std::vector<ViewField> fields{component("phi_e", "/Data", 1), component("other", "/Other", 1),
                                      component("V", "/Data", 0)};
  const auto groups = group_fields(fields, 1);
  ASSERT_EQ(groups.size(), 2);
  EXPECT_EQ(groups[0].width, 2);
  EXPECT_EQ(groups[0].stretches[0].box, (Box{{0, 0, 0}, {7, 40, 2}}));
  EXPECT_EQ(groups[0].columns[0].field, 0);
  EXPECT_EQ(groups[0].columns[0].first, 1);
  EXPECT_EQ(groups[0].columns[1].field, 2);
  EXPECT_EQ(groups[0].columns[1].first, 0);
  // Alone, only the component itself is read.
  EXPECT_EQ(groups[1].width, 1);
  EXPECT_EQ(groups[1].stretches[0].box, (Box{{0, 0, 1}, {7, 40, 1}}));
  EXPECT_EQ(groups[1].columns[0].first, 0);
}

TEST(FieldGroups, RowsOfAGridAreItsLayers) {
  const ViewField vector{"v",
                         DataType::float32,
                         storage::Support::nodes,
                         60,
                         3,
                         "",
                         {{".", "/v", {7, 3, 4, 5, 3}, whole({7, 3, 4, 5, 3})}}};
  const auto groups = group_fields(std::vector{vector}, 3);
  EXPECT_EQ(groups[0].rows, 3);
  EXPECT_EQ(groups[0].row_points, 20);
  EXPECT_EQ(groups[0].width, 3);
  EXPECT_EQ(groups[0].row_bytes(), 240);
}

TEST(FieldGroups, ComponentsOfATensorAreReadTogether) {
  const ViewField tensor{
      "t", DataType::float64, storage::Support::nodes, 40, 9, "", {{".", "/t", {7, 40, 3, 3}, whole({7, 40, 3, 3})}}};
  const auto parts = split_components(std::vector{tensor}, 1);
  ASSERT_EQ(parts.size(), 9);
  EXPECT_EQ(parts[5].name, "t_5");
  EXPECT_EQ(parts[5].stretches[0].box, (Box{{0, 0, 1, 2}, {7, 40, 1, 1}}));
  const auto groups = group_fields(parts, 1);
  ASSERT_EQ(groups.size(), 1);
  EXPECT_EQ(groups[0].width, 9);
  for (std::size_t c = 0; c < 9; ++c) EXPECT_EQ(groups[0].columns[c].first, c);
}

TEST(FieldGroups, AGlobalArrayIsOneRow) {
  const ViewField budget{
      "budget", DataType::float64, storage::Support::global, 4, 1, "", {{".", "/b", {7, 4}, whole({7, 4})}}};
  const auto groups = group_fields(std::vector{budget}, 0);
  EXPECT_EQ(groups[0].rows, 1);
  EXPECT_EQ(groups[0].width, 4);
}

}  // namespace
}  // namespace weft::convert
