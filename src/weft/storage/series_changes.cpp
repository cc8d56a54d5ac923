#include "weft/storage/series_changes.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/catalog_open_file.hpp"
#include "weft/storage/chunk_room.hpp"
#include "weft/storage/commit_slots.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/metadata_change.hpp"
#include "weft/storage/segment.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/storage/set_aside.hpp"

namespace weft::storage {

namespace {

std::vector<FieldPlan> plans_of(const SeriesCatalog& catalog) {
  std::vector<FieldPlan> plans;
  for (std::size_t f = 0; f < catalog.fields.size(); ++f) {
    plans.push_back({catalog.fields[f], catalog.segments[0].fields[f].chunk, {}});
  }
  return plans;
}

void add_to(std::vector<IndexPlan>& indexes, std::vector<IndexPlan> more) {
  std::move(more.begin(), more.end(), std::back_inserter(indexes));
}

// Of a series whose datasets can get more room where they are.
void add_room_in_place(const SeriesCatalog& catalog, std::uint64_t steps, const ViewMaker& view) {
  change_metadata(catalog, [&](hid_t file) {
    SeriesCatalog longer = catalog;
    hsize_t old_end = 0;
    check_hdf5(H5Fget_filesize(file, &old_end), catalog.path, "has no size");
    SegmentEntry& segment = longer.segments[0];
    segment.steps += steps;
    give_room(file, segment, longer.fields, catalog.capacity());
    longer.length = longer.capacity();
    std::vector<IndexPlan> indexes = plans_of_indexes(file, longer, longer.length, old_end, &catalog);
    SetAside aside(file);
    add_to(indexes, make_view(file, longer, longer.length, view, aside));
    aside.let_go();
    return MetadataChange(longer, std::move(indexes));
  });
}

// Of one in the segments of format 1.
void add_segment(const SeriesCatalog& catalog, std::uint64_t steps, const ViewMaker& view) {
  change_metadata(catalog, [&](hid_t file) {
    create_segment(file, catalog.segments.size(), catalog.capacity(), steps, plans_of(catalog));
    SeriesCatalog longer = catalog_open_file(file, catalog.path);
    longer.length = longer.capacity();  // and not that of /time as it is: the view is of what will be there
    SetAside aside(file);
    link_top_level(file, longer, longer.length, aside);
    make_view(file, longer, longer.length, view, aside);
    aside.let_go();
    return longer;
  });
}

// In an open file: lets the top-level datasets show so many steps. What is left to be done when HDF5 has closed it.
std::vector<IndexPlan> show_length(hid_t file, const SeriesCatalog& catalog, std::uint64_t steps, SetAside& aside) {
  if (catalog.has_rooms()) {
    aside.take(kChecksumsGroup);  // which were taken of as many steps as were shown
    return index_plans(file, catalog, steps, &catalog);
  }
  link_top_level(file, catalog, steps, aside);
  return {};
}

}  // namespace

SeriesCatalog add_room(const SeriesCatalog& catalog, std::uint64_t steps, const ViewMaker& view) {
  const QuietHdf5 quiet;
  if (catalog.has_rooms()) {
    add_room_in_place(catalog, steps, view);
  } else {
    add_segment(catalog, steps, view);
  }
  return read_catalog(catalog.path);
}

SeriesCatalog set_length(const SeriesCatalog& catalog, std::uint64_t steps, const ViewMaker& view) {
  const QuietHdf5 quiet;
  SeriesCatalog changed = catalog;
  changed.length = steps;
  change_metadata(catalog, [&](hid_t file) {
    SetAside aside(file);
    std::vector<IndexPlan> indexes = show_length(file, catalog, steps, aside);
    add_to(indexes, make_view(file, changed, steps, view, aside));
    aside.let_go();
    return MetadataChange(changed, std::move(indexes));
  });
  return changed;
}

void renew_view(const SeriesCatalog& catalog, std::uint64_t steps, const ViewMaker& view) {
  const QuietHdf5 quiet;
  change_metadata(catalog, [&](hid_t file) {
    SetAside aside(file);
    std::vector<IndexPlan> indexes = make_view(file, catalog, steps, view, aside);
    aside.let_go();
    return MetadataChange(catalog, std::move(indexes));
  });
}

ShownSteps shown_steps(const std::string& path) {
  const QuietHdf5 quiet;
  const Handle file = open_for_reading(path);
  return shown_in_open_file(file);
}

void show_steps(const SeriesCatalog& catalog, std::uint64_t steps, const ViewMaker& view, bool anew) {
  const ShownSteps shown = shown_steps(catalog.path);
  if (shown.length != steps) {
    set_length(catalog, steps, view);
  } else if (anew || shown.viewed.value_or(steps) != steps) {
    renew_view(catalog, steps, view);
  }
}

std::vector<MapAge> maps_behind(const SeriesCatalog& catalog, std::uint64_t steps) {
  const QuietHdf5 quiet;
  const Handle file = open_for_reading(catalog.path);
  std::vector<MapAge> ages = map_ages(file, catalog);
  std::erase_if(ages, [&](const MapAge& age) { return age.steps == 0 || age.steps >= steps; });
  return ages;
}

namespace {

// Steps from `from_step` on are written anew, at other times maybe.
void forget_times(const SeriesCatalog& catalog, std::uint64_t from_step) {
  // On the disk before another machine writes: its page may be shared with data of others (decision 16).
  const auto store = open_store(catalog.path, OpenMode::write_through);
  for (const SegmentEntry& segment : catalog.segments) {
    const ArrayEntry& time = segment.fields[0];
    std::uint64_t step = from_step > segment.first_step ? from_step - segment.first_step : 0;
    while (step < segment.steps) {
      const std::uint64_t in_chunk = step % time.chunk[0];
      const std::uint64_t steps = std::min(time.chunk[0] - in_chunk, segment.steps - step);
      const std::vector<double> to_come(steps, kTimeToCome);
      const Bytes bytes = std::as_bytes(std::span(to_come));
      store->write_at(time.addresses.at(step / time.chunk[0]) + in_chunk * sizeof(double), std::span(&bytes, 1));
      step += steps;
    }
  }
  store->close();
}

}  // namespace

SeriesCatalog continue_series(const SeriesCatalog& catalog, std::uint64_t from_step, const NewWriter& writer,
                              const ViewMaker& view) {
  const QuietHdf5 quiet;
  // First of all, and on the disk: ranks of the writers before see that they are too late.
  begin_epoch(catalog);
  change_metadata(catalog, [&](hid_t file) {
    SetAside aside(file);
    for (const char* object : {kChecksumsGroup, "/weft/commit", "/weft/durable"}) aside.take(object);
    create_slots(file, "/weft/commit", writer.commit);
    create_slots(file, "/weft/durable", writer.durable);
    if (catalog.writer.shape.empty()) create_slots(file, "/weft/writer", to_words({.epoch = 1}));
    SeriesCatalog changed = catalog_open_file(file, catalog.path);
    changed.length = changed.capacity();
    // Other readers must see every step that may now be committed.
    std::vector<IndexPlan> indexes;
    if (catalog.length != changed.length) indexes = show_length(file, changed, changed.length, aside);
    empty_maps_beyond(file, changed, from_step, aside);
    add_to(indexes, make_view(file, changed, changed.length, view, aside));
    aside.let_go();
    return MetadataChange(changed, std::move(indexes));
  });
  SeriesCatalog changed = read_catalog(catalog.path);
  forget_times(changed, from_step);
  set_boot(changed, writer.boot);
  return changed;
}

}  // namespace weft::storage
