#include "weft/storage/segment.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"

namespace weft::storage {

namespace {

Shape with_steps(std::uint64_t steps, const Shape& per_step) {
  Shape shape{steps};
  shape.insert(shape.end(), per_step.begin(), per_step.end());
  return shape;
}

}  // namespace

void create_segment(hid_t file, std::size_t number, std::uint64_t first_step, std::uint64_t steps,
                    const std::vector<FieldPlan>& fields) {
  const std::string group_path = fmt::format("/weft/segments/{}", number);
  const Handle group(check_hdf5(H5Gcreate2(file, group_path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), group_path,
                                "cannot create the group"));
  write_attribute(group, "first_step", static_cast<std::int64_t>(first_step));
  for (const FieldPlan& plan : fields) {
    Shape chunk = plan.chunk;
    const Shape shape = with_steps(steps, plan.field.per_step);
    for (std::size_t i = 0; i < chunk.size(); ++i) chunk[i] = std::min(chunk[i], shape[i]);
    const std::string dataset_path = group_path + "/" + plan.field.name;
    const Handle dataset = number == 0
                               ? create_roomy(file, dataset_path, plan.field.type, shape, chunk, plan.field.filter)
                               : create_chunked(file, dataset_path, plan.field.type, shape, chunk);
    if (number > 0 && plan.field.name == "time") {
      const std::vector<double> to_come(steps, kTimeToCome);
      check_hdf5(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, to_come.data()), group_path,
                 "cannot write the times");
    }
    if (number > 0) continue;  // what describes a field stands on its first dataset
    write_attribute(dataset, "weft_support", std::string(name_of(plan.field.support)));
    if (!plan.field.units.empty()) write_attribute(dataset, "units", plan.field.units);
    if (plan.field.subset == Subset::first) write_attribute(dataset, "weft_subset", std::string("first"));
    if (plan.field.subset == Subset::listed) write_attribute(dataset, "weft_subset", std::string("listed"));
    if (!plan.field.components.empty()) write_names(dataset, "weft_components", plan.field.components);
    if (!plan.field.component_units.empty()) {
      write_names(dataset, "weft_component_units", plan.field.component_units);
    }
    if (!plan.field.rationale.empty()) write_attribute(dataset, "weft_layout", plan.field.rationale);
    for (const auto& [name, value] : plan.attributes) write_attribute(dataset, name, value);
  }
}

void give_room(hid_t file, SegmentEntry& segment, const std::vector<FieldEntry>& fields, std::uint64_t had) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    ArrayEntry& array = segment.fields[f];
    array.shape[0] = had;
    const std::uint64_t chunks = array.chunks();
    array.shape[0] = segment.steps;
    claim_room(file, array, fields[f].filter, segment.align, segment.rooms[f], chunks);
    array.addresses = addresses_in(segment.rooms[f]);
  }
  write_rooms(file, "/weft/segments/0", segment, fields);
}

bool has_gaps(const SegmentEntry& segment) {
  for (std::size_t f = 0; f < segment.rooms.size(); ++f) {
    const std::uint64_t pitch = segment.rooms[f].pitch;
    if (pitch > 0 && pitch != segment.fields[f].chunk_bytes()) return true;
  }
  return false;
}

std::vector<IndexPlan> plans_of_indexes(hid_t file, const SeriesCatalog& catalog, std::uint64_t shown,
                                        std::uint64_t old_end, const SeriesCatalog* before) {
  std::vector<IndexPlan> plans = index_plans(file, catalog, shown, before);
  plans[0].fill = kTimeToCome;
  plans[0].fill_from = old_end;
  return plans;
}

}  // namespace weft::storage
