#include "weft/verify/mesh_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "weft/support/amount.hpp"
#include "weft/survey/array_batches.hpp"
#include "weft/view/series_view.hpp"

namespace weft::verify {

namespace {

using storage::ArrayEntry;
using storage::FieldEntry;
using storage::SeriesCatalog;
using storage::Subset;
using storage::Support;
using view::Unstructured;

// The points of a cell of this VTK type; nothing where it may have any number.
std::optional<std::int64_t> corners_of(std::uint8_t type) {
  struct Known {
    std::uint8_t type;
    std::int64_t corners;
  };
  constexpr std::array<Known, 17> kKnown{{{1, 1},
                                          {3, 2},
                                          {5, 3},
                                          {8, 4},
                                          {9, 4},
                                          {10, 4},
                                          {11, 8},
                                          {12, 8},
                                          {13, 6},
                                          {14, 5},
                                          {21, 3},
                                          {22, 6},
                                          {23, 8},
                                          {24, 10},
                                          {25, 20},
                                          {26, 15},
                                          {27, 13}}};
  const auto* found = std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& one) { return one.type == type; });
  return found == kKnown.end() ? std::nullopt : std::optional(found->corners);
}

// The first of many, so that a damaged array is one problem and not a million.
class First {
 public:
  template <typename Words>
  void met(std::uint64_t number, const Words& words) {
    if (count_++ == 0) text_ = words(number);
  }
  void tell(Check& check, std::string_view things) const {
    if (count_ > 0) check.fail(count_ == 1 ? text_ : fmt::format("{}: {} {} like it", text_, count_, things));
  }

 private:
  std::uint64_t count_ = 0;
  std::string text_;
};

void check_shape(const ArrayEntry* array, const std::string& path, DataType type, const Shape& wanted, Check& check) {
  if (array == nullptr) return check.fail(fmt::format("{} is missing", path));
  if (array->type != type) check.fail(fmt::format("{} is {}, not {}", path, name_of(array->type), name_of(type)));
  if (array->shape != wanted) {
    check.fail(fmt::format("{} is {} where {} fits the others", path, to_string(array->shape), to_string(wanted)));
  }
}

void check_offsets(hid_t file, const Unstructured& paths, std::uint64_t corners, Check& check) {
  First falling;
  std::int64_t last = 0;
  survey::each_batch<std::int64_t>(
      file, paths.offsets_path, 1, [&](std::uint64_t first, std::span<const std::int64_t> offsets) {
        if (first == 0 && offsets[0] != 0)
          check.fail(fmt::format("{} begins with {}, not 0", paths.offsets_path, offsets[0]));
        for (std::size_t i = 1; i < offsets.size(); ++i) {
          if (offsets[i] >= offsets[i - 1]) continue;
          falling.met(first + i, [&](std::uint64_t n) {
            return fmt::format("{}[{}] is {}, after {}", paths.offsets_path, n, offsets[i], offsets[i - 1]);
          });
        }
        last = offsets.back();
      });
  falling.tell(check, "offsets");
  if (last != static_cast<std::int64_t>(corners)) {
    check.fail(
        fmt::format("{} ends with {}, and {} has {}", paths.offsets_path, last, paths.connectivity_path, corners));
  }
}

void check_connectivity(hid_t file, const std::string& path, std::uint64_t points, Check& check) {
  First outside;
  survey::each_batch<std::int64_t>(file, path, 0, [&](std::uint64_t first, std::span<const std::int64_t> corners) {
    for (std::size_t i = 0; i < corners.size(); ++i) {
      if (corners[i] >= 0 && static_cast<std::uint64_t>(corners[i]) < points) continue;
      outside.met(first + i, [&](std::uint64_t n) {
        return fmt::format("{}[{}] is point {} of {}", path, n, corners[i], points);
      });
    }
  });
  outside.tell(check, "corners");
}

// Sizes come from the offsets, a batch of which is read beside each batch of types.
void check_types(hid_t file, const Unstructured& paths, Check& check) {
  First wrong;
  survey::DatasetReader offsets(file, paths.offsets_path, storage::native_type(DataType::int64), {});
  std::vector<std::int64_t> ends;
  survey::each_batch<std::uint8_t>(file, paths.types_path, 0,
                                   [&](std::uint64_t first, std::span<const std::uint8_t> types) {
                                     ends.resize(types.size() + 1);
                                     offsets.read({{first}, {ends.size()}}, std::as_writable_bytes(std::span(ends)));
                                     for (std::size_t i = 0; i < types.size(); ++i) {
                                       const std::optional<std::int64_t> corners = corners_of(types[i]);
                                       if (!corners || ends[i + 1] - ends[i] == *corners) continue;
                                       wrong.met(first + i, [&](std::uint64_t n) {
                                         return fmt::format("cell {} has {} points and type {}, which has {}", n,
                                                            ends[i + 1] - ends[i], types[i], *corners);
                                       });
                                     }
                                   });
  wrong.tell(check, "cells");
}

void check_points(hid_t file, const std::string& path, Check& check) {
  First wrong;
  survey::each_batch<double>(file, path, 0, [&](std::uint64_t first, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      wrong.met(first + i,
                [&](std::uint64_t n) { return fmt::format("{}: point {} is not finite: {}", path, n / 3, values[i]); });
    }
  });
  wrong.tell(check, "coordinates");
}

// Fields that say they stand on all of the mesh do. (Others may: a mesh may be shared by files of many fields.)
void check_fields(const SeriesCatalog& catalog, std::uint64_t points, std::uint64_t cells, Check& check) {
  for (const FieldEntry& field : catalog.fields) {
    if (field.support == Support::global || field.per_step.empty()) continue;
    const std::uint64_t all = field.support == Support::cells ? cells : points;
    const std::uint64_t has = field.per_step[0];
    if (field.subset == Subset::all && has != all) {
      check.note(fmt::format("{} has {} {} on a mesh of {}", field.name, has, name_of(field.support), all));
    } else if (has > all) {
      check.fail(fmt::format("{} stands on {} of {} {}", field.name, has, all, name_of(field.support)));
    }
  }
}

void check_grid(const SeriesCatalog& catalog, Check& check) {
  const Shape& grid = catalog.grid.shape;
  if (grid.size() != 2 && grid.size() != 3) check.fail(fmt::format("a grid of {}", to_string(grid)));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!std::isfinite(catalog.grid.origin.at(axis))) check.fail("the grid's origin is not finite");
    if (!std::isfinite(catalog.grid.spacing.at(axis)) || catalog.grid.spacing.at(axis) == 0) {
      check.fail(fmt::format("a spacing of {}", catalog.grid.spacing.at(axis)));
    }
  }
  check.detail = "a grid of " + to_string(grid);
}

// Of a mesh of so many points.
void check_arrays(hid_t file, const SeriesCatalog& catalog, const Unstructured& paths, std::uint64_t points,
                  bool values, Check& check) {
  check_shape(catalog.find_fixed(paths.points_path), paths.points_path, DataType::float64, {points, 3}, check);
  const ArrayEntry* types = catalog.find_fixed(paths.types_path);
  const ArrayEntry* connectivity = catalog.find_fixed(paths.connectivity_path);
  if (types != nullptr || connectivity != nullptr) {
    const std::uint64_t cells = types == nullptr || types->shape.empty() ? 0 : types->shape[0];
    check_shape(types, paths.types_path, DataType::uint8, {cells}, check);
    check_shape(catalog.find_fixed(paths.offsets_path), paths.offsets_path, DataType::int64, {cells + 1}, check);
    const std::uint64_t corners = connectivity == nullptr || connectivity->shape.empty() ? 0 : connectivity->shape[0];
    check_shape(connectivity, paths.connectivity_path, DataType::int64, {corners}, check);
    if (!values || check.verdict == Verdict::fail) return;
    check_offsets(file, paths, corners, check);
    check_connectivity(file, paths.connectivity_path, points, check);
    if (check.verdict != Verdict::fail) check_types(file, paths, check);
  }
  if (values) check_points(file, paths.points_path, check);
}

}  // namespace

void check_mesh(hid_t file, const SeriesCatalog& catalog, bool values, Check& check) {
  if (!catalog.grid.shape.empty()) return check_grid(catalog, check);
  const Unstructured paths = Unstructured::in("/mesh");
  const ArrayEntry* points = catalog.find_fixed(paths.points_path);
  const ArrayEntry* types = catalog.find_fixed(paths.types_path);
  if (points == nullptr) {
    if (types != nullptr || catalog.find_fixed(paths.connectivity_path) != nullptr) {
      return check.fail(fmt::format("{} is missing", paths.points_path));
    }
    return check.leave_out("there is none");
  }
  const std::uint64_t count = points->shape.empty() ? 0 : points->shape[0];
  const std::uint64_t cells = types == nullptr || types->shape.empty() ? 0 : types->shape[0];
  check_fields(catalog, count, cells, check);
  check.detail = fmt::format("{} points, {} cells", format_count(count), format_count(cells));
  check_arrays(file, catalog, paths, count, values, check);
}

void check_subsets(hid_t file, const SeriesCatalog& catalog, bool values, Check& check) {
  std::size_t listed = 0;
  const ArrayEntry* points = catalog.find_fixed("/mesh/points");
  const ArrayEntry* types = catalog.find_fixed("/mesh/types");
  for (const FieldEntry& field : catalog.fields) {
    if (field.subset == Subset::all) continue;
    const std::string path = "/weft/subsets/" + field.name;
    if (field.subset == Subset::first && catalog.find_fixed(path) == nullptr) continue;
    ++listed;
    const std::uint64_t count = field.per_step.empty() ? 0 : field.per_step[0];
    check_shape(catalog.find_fixed(path), path, DataType::int64, {count}, check);
    const ArrayEntry* all = field.support == Support::cells ? types : points;
    if (!values || check.verdict == Verdict::fail) continue;
    const std::uint64_t most = all == nullptr ? INT64_MAX : all->shape.at(0);
    First outside;
    survey::each_batch<std::int64_t>(file, path, 0, [&](std::uint64_t first, std::span<const std::int64_t> numbers) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] >= 0 && static_cast<std::uint64_t>(numbers[i]) < most) continue;
        outside.met(first + i, [&](std::uint64_t n) {
          return fmt::format("{}[{}] is {} {} of {}", path, n, name_of(field.support), numbers[i], most);
        });
      }
    });
    outside.tell(check, "numbers");
    const Unstructured own = Unstructured::in(view::folder_of_mesh(field.name));  // files of before have none
    if (catalog.find_fixed(own.points_path) != nullptr) check_arrays(file, catalog, own, count, values, check);
  }
  check.detail = fmt::format("{} fields on listed nodes or cells", listed);
  if (listed == 0) check.leave_out("every field stands on all nodes or cells, or the first ones");
}

}  // namespace weft::verify
