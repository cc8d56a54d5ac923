#include "weft/storage/dimensions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace weft::storage {

namespace {

constexpr std::array<std::string_view, 3> kGridAxes{"z", "y", "x"};  // slowest first; a grid of two has the last two

class Names {
 public:
  explicit Names(const SeriesCatalog& catalog) : catalog_(catalog) {}

  // The dimension of this role and extent; made where there is none yet.
  std::size_t take(const std::string& role, std::uint64_t extent, std::optional<std::vector<double>> coordinates) {
    std::string name = role;
    while (catalog_.find_field(name)) name += "_axis";
    const auto same_name = std::find_if(all.begin(), all.end(), [&](const Dimension& d) { return d.name == name; });
    if (same_name != all.end()) {
      if (same_name->extent == extent) return static_cast<std::size_t>(same_name - all.begin());
      return take(fmt::format("{}_{}", role, extent), extent, std::nullopt);
    }
    all.push_back({name, extent, std::move(coordinates)});
    return all.size() - 1;
  }

  std::vector<Dimension> all;

 private:
  const SeriesCatalog& catalog_;
};

std::vector<double> along(const RegularGrid& grid, std::size_t axis) {
  const std::size_t of_three = grid.shape.size() - 1 - axis;  // origin and spacing are in the order x, y, z
  std::vector<double> places(grid.shape[axis]);
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = grid.origin.at(of_three) + static_cast<double>(i) * grid.spacing.at(of_three);
  }
  return places;
}

}  // namespace

Dimensions dimensions_of(const SeriesCatalog& catalog) {
  Names names(catalog);
  Dimensions dimensions;
  for (const FieldEntry& field : catalog.fields) {
    std::vector<std::size_t>& axes = dimensions.axes.emplace_back();
    const Shape& grid = catalog.grid.shape;
    const bool on_grid =
        field.support == Support::nodes && !grid.empty() && grid.size() <= kGridAxes.size() && places_of(field) == grid;
    for (std::size_t axis = 0; axis < field.per_step.size(); ++axis) {
      const std::uint64_t extent = field.per_step[axis];
      if (axis >= field.node_axes) {
        axes.push_back(names.take("component", extent, std::nullopt));
      } else if (field.node_axes > 1 && field.node_axes <= kGridAxes.size()) {
        const std::string role(kGridAxes.at(kGridAxes.size() - field.node_axes + axis));
        axes.push_back(names.take(on_grid ? role : field.name + "_" + role, extent,
                                  on_grid ? std::optional(along(catalog.grid, axis)) : std::nullopt));
      } else {
        const std::string role = field.support == Support::cells ? "cell" : "node";
        const bool listed = field.subset == Subset::listed;
        axes.push_back(names.take(listed ? field.name + "_" + role : role, extent, std::nullopt));
      }
    }
  }
  dimensions.all = std::move(names.all);
  return dimensions;
}

}  // namespace weft::storage
