#include "weft/storage/dimensions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::storage {
namespace {

using testing::ElementsAre;

FieldEntry named(const std::string& name, const Shape& per_step, std::size_t node_axes = 1) {
  FieldEntry field;
  field.name = name;
  field.per_step = per_step;
  field.node_axes = node_axes;
  field.support = node_axes == 0 ? Support::global : Support::nodes;
  return field;
}

std::vector<std::string> names_of(const Dimensions& dimensions, std::size_t field) {
  std::vector<std::string> names;
  for (const std::size_t axis : dimensions.axes[field]) names.push_back(dimensions.all[axis].name);
  return names;
}

TEST(Dimensions, AreSharedByFieldsOfOneExtent) {
  SeriesCatalog catalog;
  catalog.fields = {named("time", {}, 0),   named("V", {400, 2}),   named("W", {400, 3}),
                    named("fine", {90, 2}), named("energy", {}, 0), named("forces", {3}, 0)};
  FieldEntry cells = named("stress", {400});
  cells.support = Support::cells;
  FieldEntry listed = named("probes", {7});
  listed.subset = Subset::listed;
  catalog.fields.push_back(cells);
  catalog.fields.push_back(listed);
  const Dimensions dimensions = dimensions_of(catalog);
  EXPECT_THAT(names_of(dimensions, 0), ElementsAre());
  EXPECT_THAT(names_of(dimensions, 1), ElementsAre("node", "component"));
  EXPECT_THAT(names_of(dimensions, 2), ElementsAre("node", "component_3"));
  EXPECT_THAT(names_of(dimensions, 3), ElementsAre("node_90", "component"));
  EXPECT_THAT(names_of(dimensions, 4), ElementsAre());
  EXPECT_THAT(names_of(dimensions, 5), ElementsAre("component_3"));
  EXPECT_THAT(names_of(dimensions, 6), ElementsAre("cell"));
  EXPECT_THAT(names_of(dimensions, 7), ElementsAre("probes_node"));
}

TEST(Dimensions, OfAGridHaveCoordinates) {
  SeriesCatalog catalog;
  catalog.grid = {{4, 3}, {10, 20, 0}, {0.5, 2, 1}};
  catalog.fields = {named("time", {}, 0), named("p", {4, 3}, 2), named("u", {4, 3, 2}, 2), named("own", {5, 6}, 2)};
  const Dimensions dimensions = dimensions_of(catalog);
  EXPECT_THAT(names_of(dimensions, 1), ElementsAre("y", "x"));
  EXPECT_THAT(names_of(dimensions, 2), ElementsAre("y", "x", "component"));
  EXPECT_THAT(names_of(dimensions, 3), ElementsAre("own_y", "own_x"));
  EXPECT_THAT(*dimensions.all[0].coordinates, ElementsAre(20, 22, 24, 26));
  EXPECT_THAT(*dimensions.all[1].coordinates, ElementsAre(10, 10.5, 11));
  EXPECT_FALSE(dimensions.all[2].coordinates);
}

TEST(Dimensions, GiveWayToFields) {
  SeriesCatalog catalog;
  catalog.fields = {named("time", {}, 0), named("node", {8, 2})};
  EXPECT_THAT(names_of(dimensions_of(catalog), 1), ElementsAre("node_axis", "component"));
}

}  // namespace
}  // namespace weft::storage
