#include "weft/convert/field_groups.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::convert {

namespace {

bool same_data(const FieldGroup& group, const view::ViewField& field) {
  return group.support == field.support &&
         std::equal(group.stretches.begin(), group.stretches.end(), field.stretches.begin(), field.stretches.end(),
                    [](const view::Stretch& a, const view::Stretch& b) {
                      return a.file == b.file && a.dataset == b.dataset && a.box.start[0] == b.box.start[0] &&
                             a.box.count[0] == b.box.count[0];
                    });
}

// Where the box begins among all components of a point.
std::uint64_t first_component(const view::Stretch& stretch, std::size_t lead) {
  std::uint64_t first = 0;
  for (std::size_t axis = 1 + lead; axis < stretch.shape.size(); ++axis) {
    first = first * stretch.shape[axis] + stretch.box.start[axis];
  }
  return first;
}

}  // namespace

std::vector<FieldGroup> group_fields(std::span<const view::ViewField> fields, std::size_t lead) {
  std::vector<FieldGroup> groups;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const view::ViewField& field = fields[f];
    const auto known =
        std::find_if(groups.begin(), groups.end(), [&](const FieldGroup& group) { return same_data(group, field); });
    if (known != groups.end()) {
      known->columns.push_back({f, first_component(field.stretches[0], lead)});
      continue;
    }
    FieldGroup group;
    group.stretches = field.stretches;
    group.type = field.type;
    group.support = field.support;
    group.width = lead == 0 ? field.points : field.components;
    if (lead > 0 && !field.stretches.empty()) {
      const Shape& shape = field.stretches[0].shape;
      group.rows = shape[1];
      for (std::size_t axis = 2; axis <= lead; ++axis) group.row_points *= shape[axis];
    }
    group.columns.push_back({f, 0});
    groups.push_back(std::move(group));
  }
  // A column alone is read as it is; several take the whole row.
  for (FieldGroup& group : groups) {
    if (group.columns.size() == 1) continue;
    group.columns[0].first = first_component(group.stretches[0], lead);
    group.width = 1;
    for (std::size_t axis = 1 + lead; axis < group.stretches[0].shape.size(); ++axis) {
      group.width *= group.stretches[0].shape[axis];
    }
    for (view::Stretch& stretch : group.stretches) {
      for (std::size_t axis = 1 + lead; axis < stretch.shape.size(); ++axis) {
        stretch.box.start[axis] = 0;
        stretch.box.count[axis] = stretch.shape[axis];
      }
    }
  }
  return groups;
}

std::vector<view::ViewField> split_components(std::span<const view::ViewField> fields, std::size_t lead) {
  std::vector<view::ViewField> parts;
  for (const view::ViewField& field : fields) {
    if (field.components == 1) {
      parts.push_back(field);
      continue;
    }
    for (std::uint64_t c = 0; c < field.components; ++c) {
      view::ViewField part = field;
      part.name = fmt::format("{}_{}", field.name, c);
      part.components = 1;
      for (view::Stretch& stretch : part.stretches) {
        std::uint64_t rest = c;
        for (std::size_t axis = stretch.shape.size(); axis-- > 1 + lead;) {
          stretch.box.start[axis] = rest % stretch.shape[axis];
          stretch.box.count[axis] = 1;
          rest /= stretch.shape[axis];
        }
      }
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

}  // namespace weft::convert
