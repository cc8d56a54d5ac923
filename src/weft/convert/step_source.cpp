#include "weft/convert/step_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "weft/support/error.hpp"

namespace weft::convert {

void StepSource::read(const FieldGroup& group, std::span<const StepRun> steps, std::span<const RowRange> rows,
                      std::span<std::byte> values) const {
  std::vector<Part> parts;
  for (const RowRange& range : rows) {
    for (const StepRun& run : steps) {
      std::uint64_t first = 0;  // step of the series that the stretch begins with
      for (const view::Stretch& stretch : group.stretches) {
        const std::uint64_t from = std::max(run.first, first);
        const std::uint64_t to = std::min(run.first + run.count, first + stretch.box.count[0]);
        if (from < to && range.count > 0) {
          Box box = stretch.box;
          box.start[0] += from - first;
          box.count[0] = to - from;
          if (group.support != storage::Support::global) {
            box.start[1] = range.first;
            box.count[1] = range.count;
          }
          parts.push_back({&stretch, std::move(box)});
        }
        first += stretch.box.count[0];
      }
    }
  }
  read_parts(parts, values);
}

std::vector<double> StepSource::places(const view::Block& block, std::uint64_t first, std::uint64_t count) const {
  if (!block.grid) return mesh<double>(block.unstructured->points_path, 3 * first, 3 * count);
  const storage::RegularGrid& grid = *block.grid;
  std::vector<double> places;
  places.reserve(3 * count);
  for (std::uint64_t point = first; point < first + count; ++point) {
    std::uint64_t rest = point;
    for (std::size_t axis = 0; axis < 3; ++axis) {  // x is the grid's last axis
      const std::uint64_t extent = axis < grid.shape.size() ? grid.shape[grid.shape.size() - 1 - axis] : 1;
      places.push_back(grid.origin[axis] + grid.spacing[axis] * static_cast<double>(rest % extent));
      rest /= extent;
    }
  }
  return places;
}

void StepSource::mesh_bytes(const std::string& path, std::uint64_t offset, std::span<std::byte> values) const {
  for (const storage::Object& object : view_.mesh_objects) {
    const auto* array = std::get_if<storage::ArrayObject>(&object);
    if (array == nullptr || array->path != path) continue;
    std::memcpy(values.data(), array->values.data() + offset, values.size());
    return;
  }
  stored_mesh_bytes(path, offset, values);
}

void StepSource::choose(const std::string& path, std::span<const std::string> names,
                        std::span<const Alias> whole_fields) {
  if (names.empty()) return;
  std::vector<std::string> known;
  std::vector<bool> found(names.size(), false);
  const auto is_chosen = [&](const view::ViewField& field) {
    known.push_back(field.name);
    bool chosen = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool fits =
          field.name == names[i] || std::any_of(whole_fields.begin(), whole_fields.end(), [&](const Alias& alias) {
            return alias.name == names[i] && alias.dataset == field.stretches.at(0).dataset;
          });
      found[i] = found[i] || fits;
      chosen = chosen || fits;
    }
    return chosen;
  };
  const auto keep = [&](std::vector<view::ViewField>& fields) {
    std::erase_if(fields, [&](const view::ViewField& field) { return !is_chosen(field); });
  };
  for (view::Block& block : view_.blocks) keep(block.fields);
  keep(view_.globals);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (found[i]) continue;
    throw Error(ErrorKind::usage, path, fmt::format("has no field '{}' that can be converted", names[i]),
                known.empty() ? "there are none" : fmt::format("there are: {}", fmt::join(known, ", ")));
  }
  // A further block is there for its field alone.
  for (std::size_t b = view_.blocks.size(); b-- > 1;) {
    if (view_.blocks[b].fields.empty()) view_.blocks.erase(view_.blocks.begin() + static_cast<std::ptrdiff_t>(b));
  }
}

}  // namespace weft::convert
