#include "weft/verify/series_check.hpp"

#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "weft/storage/catalog_open_file.hpp"
#include "weft/storage/chunk_room.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/top_level.hpp"
#include "weft/support/amount.hpp"
#include "weft/survey/array_batches.hpp"
#include "weft/survey/object_walk.hpp"
#include "weft/survey/survey.hpp"
#include "weft/survey/virtual_sources.hpp"
#include "weft/verify/plan_check.hpp"
#include "weft/view/map_view.hpp"
#include "weft/view/series_view.hpp"
#include "weft/view/vtkhdf.hpp"

namespace weft::verify {

namespace {

using storage::ArrayEntry;
using storage::FieldEntry;
using storage::Handle;
using storage::SegmentEntry;
using storage::SeriesCatalog;

Handle open_dataset(hid_t file, const std::string& path) {
  return Handle(
      storage::check_hdf5(H5Dopen2(file, path.c_str(), H5P_DEFAULT), path, "cannot be opened", ErrorKind::data));
}

std::uint64_t links_in(hid_t file, const char* path) {
  const Handle group(storage::check_hdf5(H5Gopen2(file, path, H5P_DEFAULT), path, "cannot be opened", ErrorKind::data));
  return survey::links_of(group, path).size();
}

// A chunk of the first segment, cut to a segment that is shorter.
Shape cut_to(Shape chunk, const Shape& shape) {
  for (std::size_t i = 0; i < chunk.size(); ++i) chunk[i] = std::min(chunk[i], shape[i]);
  return chunk;
}

void check_segment(hid_t file, const SeriesCatalog& catalog, std::size_t number, Check& check) {
  const SegmentEntry& segment = catalog.segments[number];
  const std::string path = fmt::format("/weft/segments/{}", number);
  const Handle group(
      storage::check_hdf5(H5Gopen2(file, path.c_str(), H5P_DEFAULT), path, "cannot be opened", ErrorKind::data));
  const std::int64_t first = storage::read_integer(group, "first_step");
  if (first != static_cast<std::int64_t>(segment.first_step)) {
    check.fail(fmt::format("{} begins with step {}, after {} steps", path, first, segment.first_step));
  }
  const std::uint64_t links = links_in(file, path.c_str());
  if (links != catalog.fields.size()) {
    check.fail(fmt::format("{} has {} datasets for {} fields", path, links, catalog.fields.size()));
  }
  for (std::size_t f = 0; f < catalog.fields.size(); ++f) {
    const ArrayEntry& array = segment.fields[f];
    const ArrayEntry& model = catalog.segments[0].fields[f];
    const bool same_step = array.shape.size() == model.shape.size() &&
                           std::equal(array.shape.begin() + 1, array.shape.end(), model.shape.begin() + 1);
    if (!same_step || array.type != model.type) {
      check.fail(fmt::format("{} is {} of {}, {} is {} of {}", array.path, to_string(array.shape), name_of(array.type),
                             model.path, to_string(model.shape), name_of(model.type)));
    } else if (array.chunk != cut_to(model.chunk, array.shape) && array.chunk != model.chunk) {
      check.note(fmt::format("{} has chunks of {}, {} of {}", array.path, to_string(array.chunk), model.path,
                             to_string(model.chunk)));
    }
  }
}

// What a field's top-level dataset is over several segments (storage/top_level.cpp).
storage::VirtualObject expected_top(const SeriesCatalog& catalog, std::size_t f) {
  Shape shape{catalog.length};
  const Shape& per_step = catalog.fields[f].per_step;
  shape.insert(shape.end(), per_step.begin(), per_step.end());
  storage::VirtualObject object{"/" + catalog.fields[f].name, catalog.fields[f].type, shape, {}};
  for (const SegmentEntry& segment : catalog.segments) {
    if (segment.first_step >= catalog.length) break;
    const ArrayEntry& array = segment.fields[f];
    Box from = whole(array.shape);
    from.count[0] = std::min(segment.steps, catalog.length - segment.first_step);
    Box to = from;
    to.start[0] = segment.first_step;
    object.mappings.push_back({".", array.path, array.shape, storage::Slab::of(from), storage::Slab::of(to)});
  }
  return object;
}

void check_attributes(const SeriesCatalog& catalog, std::size_t f, hid_t top, Check& check) {
  const FieldEntry& field = catalog.fields[f];
  const std::string support = storage::read_text(top, "weft_support");
  if (support != name_of(field.support)) {
    check.fail(fmt::format("/{} stands on '{}', which is not nodes, cells or global", field.name, support));
  }
  if (storage::read_text(top, "units") != field.units) {
    check.fail(fmt::format("/{} and its segments have other units", field.name));
  }
  if (!field.components.empty() && field.components.size() != components_of(field)) {
    check.fail(fmt::format("/{} names {} of {} components", field.name, field.components.size(), components_of(field)));
  }
  if (!field.rationale.empty() && nlohmann::json::parse(field.rationale, nullptr, false).is_discarded()) {
    check.fail(fmt::format("the attribute weft_layout of /{} is not JSON", field.name));
  }
}

void check_top(hid_t file, const SeriesCatalog& catalog, std::size_t f, hid_t time, Check& check) {
  const std::string path = "/" + catalog.fields[f].name;
  const Handle top = open_dataset(file, path);
  const ArrayEntry& first = catalog.segments[0].fields[f];
  if (survey::virtual_sources(top).empty() && catalog.length > 0) {
    const Handle segment = open_dataset(file, first.path);
    if (survey::address_of(top) != survey::address_of(segment))
      check.fail(fmt::format("{} is not {}", path, first.path));
    if (const std::uint64_t steps = storage::dataset_length(file, path); steps != catalog.length) {
      check.fail(fmt::format("{} has {} steps, /time {}", path, steps, catalog.length));
    }
  } else if (const std::string departure = departure_of(file, expected_top(catalog, f)); !departure.empty()) {
    check.fail(departure);
  }
  check_attributes(catalog, f, top, check);
  if (f > 0 && H5DSis_attached(top, time, 0) <= 0) check.fail(fmt::format("{} has no time as its first axis", path));
}

}  // namespace

void check_segments(hid_t file, const SeriesCatalog& catalog, Check& check) {
  const storage::QuietHdf5 quiet;
  if (catalog.format_version == 0) {  // a later one has no catalog
    check.fail(fmt::format("has format version {}", catalog.format_version));
  }
  if (catalog.created_by.empty()) check.note("does not say who created it");
  const std::uint64_t links = links_in(file, "/weft/segments");
  if (links != catalog.segments.size()) {
    check.fail(
        fmt::format("/weft/segments has {} groups, of which {} follow each other", links, catalog.segments.size()));
  }
  for (std::size_t number = 0; number < catalog.segments.size(); ++number) check_segment(file, catalog, number, check);
  if (catalog.length > catalog.capacity()) {
    check.fail(fmt::format("/time has {} steps where there is room for {}", catalog.length, catalog.capacity()));
  }
  check.detail = fmt::format("{} with room for {} steps of {} fields",
                             catalog.segments.size() == 1 ? "one" : fmt::format("{}", catalog.segments.size()),
                             format_count(catalog.capacity()), catalog.fields.size() - 1);
}

void check_fields(hid_t file, const SeriesCatalog& catalog, Check& check) {
  const storage::QuietHdf5 quiet;
  const Handle time = open_dataset(file, "/time");
  if (H5DSis_scale(time) <= 0) check.fail("/time is not a dimension scale");
  for (std::size_t f = 0; f < catalog.fields.size(); ++f) check_top(file, catalog, f, time, check);
  check.detail = fmt::format("{} of {} steps", catalog.fields.size() - 1, format_count(catalog.length));
}

void check_commit(const SeriesCatalog& catalog, const std::vector<std::uint64_t>& slots, std::uint64_t committed,
                  Check& check) {
  std::uint64_t used = 0;
  for (std::size_t r = 0; r < slots.size(); ++r) {
    if (slots[r] == storage::kIdleSlot) continue;
    ++used;
    if (slots[r] <= catalog.capacity()) continue;
    check.fail(fmt::format("slot {} says {} steps where there is room for {}", r, slots[r], catalog.capacity()));
  }
  if (slots.empty()) check.fail("there are no commit slots");
  const std::uint64_t written = storage::committed_steps(slots);
  if (written > committed) {
    check.note(fmt::format("{} more steps were written, but a machine may have gone down before they were on its disk",
                           format_count(written - committed)));
  }
  check.detail = fmt::format("{} of {} steps, slots: {}", format_count(committed), format_count(catalog.length), used);
  if (committed > catalog.length) {
    check.fail(fmt::format("{} steps are committed and {} shown; weft recover shows them", committed, catalog.length));
  } else if (committed < catalog.length) {
    check.note(fmt::format("{} of {} steps are committed: the run has not ended, or was interrupted (weft recover)",
                           format_count(committed), format_count(catalog.length)));
  }
}

void check_times(hid_t file, const SeriesCatalog& catalog, std::uint64_t committed, Check& check) {
  const storage::QuietHdf5 quiet;
  std::optional<double> first;
  double last = 0;
  std::uint64_t step = 0;
  for (const SegmentEntry& segment : catalog.segments) {
    survey::each_batch<double>(file, segment.fields[0].path, 0, [&](std::uint64_t, std::span<const double> times) {
      for (const double time : times) {
        if (step >= committed) return;
        if (!std::isfinite(time)) check.fail(fmt::format("step {} is at {}", step, time));
        if (first && time <= last) {
          check.note(fmt::format("step {} is at {}, after one at {}", step, time, last));
        }
        if (!first) first = time;
        last = time;
        ++step;
      }
    });
  }
  check.detail = first ? fmt::format("{} to {}", *first, last) : "no steps yet";
}

void check_view(hid_t file, const SeriesCatalog& catalog, storage::ByteStore& bytes, Check& check) {
  const storage::QuietHdf5 quiet;
  if (catalog.viewed == 0) {
    const bool could = catalog.find_fixed("/mesh/points") != nullptr || !catalog.grid.shape.empty();
    return check.leave_out(could && catalog.length > 0 ? "there is none (weft view makes one)" : "there is none");
  }
  if (catalog.viewed > catalog.length) {
    check.fail(fmt::format("/VTKHDF shows {} of {} steps; weft view makes it again", catalog.viewed, catalog.length));
  }
  view::View view = view::series_view(catalog, catalog.viewed, view::reader_of(bytes));
  view::add_maps(view, view::maps_in(catalog.path, catalog));
  if (!view.blocks.empty()) {  // views of before have no maps, nor has one that was made before the run's end
    std::erase_if(view.blocks[0].maps, [&](const view::MapRow& row) {
      const std::string root = view.blocks.size() == 1 ? "/VTKHDF" : "/VTKHDF/" + view.blocks[0].name;
      return H5Lexists(file, (root + "/PointData").c_str(), H5P_DEFAULT) <= 0 ||
             H5Lexists(file, (root + "/PointData/" + row.name).c_str(), H5P_DEFAULT) <= 0;
    });
  }
  for (const std::string& line : departures(file, view::vtkhdf_objects(view))) {
    check.fail(line + "; weft view makes it again");
  }
  check.detail = fmt::format("{} steps, {} of mesh and fields", format_count(catalog.viewed),
                             view.blocks.size() == 1 ? "one block" : fmt::format("{} blocks", view.blocks.size()));
}

namespace {

// A plain map leads to the first rows of its array, and from then on to one row of the fill value
// (storage::create_rows).
void check_rows(hid_t shown, const std::string& path, const ArrayEntry& array, Check& check) {
  const Handle space(H5Dget_space(shown));
  hsize_t chunks = 0;
  storage::check_hdf5(H5Dget_num_chunks(shown, space, &chunks), path, "its rows cannot be counted", ErrorKind::data);
  std::vector<hsize_t> at(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)), 0);
  const std::uint64_t rows = storage::rows_shown(shown, array);
  if (rows == 0) return;  // a copy, as other tools make of it
  std::set<haddr_t> others;
  for (hsize_t row = rows; row < chunks; ++row) {
    unsigned skipped = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t bytes = 0;
    at[0] = row;
    storage::check_hdf5(H5Dget_chunk_info_by_coord(shown, at.data(), &skipped, &address, &bytes), path,
                        "its rows cannot be found", ErrorKind::data);
    others.insert(address);
  }
  if (others.size() > 1) check.fail(fmt::format("{} has rows that are not those of {}", path, array.path));
}

}  // namespace

void check_maps(hid_t file, const SeriesCatalog& catalog, Check& check) {
  const storage::QuietHdf5 quiet;
  std::uint64_t maps = 0;
  for (const ArrayEntry& array : catalog.fixed_arrays) {
    const std::string folder = "/weft";
    if (!array.path.starts_with(folder + "/maps/")) continue;
    ++maps;
    const std::string path = array.path.substr(folder.size());
    const Handle shown = open_dataset(file, path);
    const survey::DatasetFacts facts = survey::facts_of(shown, path);
    // Of the nodes behind one another, or on the grid; of the rows as many as there were beats.
    const bool rows = array.shape.size() == 2;
    const Shape places(facts.shape.begin() + (rows && !facts.shape.empty() ? 1 : 0), facts.shape.end());
    if (facts.shape.empty() || array.shape.empty() || element_count(places) != array.shape.back()) {
      check.fail(fmt::format("{} is {}, {} is {}", path, to_string(facts.shape), array.path, to_string(array.shape)));
    }
    for (const survey::VirtualSource& source : survey::virtual_sources(shown)) {
      if (source.dataset != array.path) check.fail(fmt::format("{} shows {}", path, source.dataset));
    }
    if (facts.storage == survey::StorageKind::chunked) check_rows(shown, path, array, check);
  }
  for (const storage::MapAge& age : storage::map_ages(file, catalog)) {
    if (age.steps == 0 || age.steps >= catalog.length) continue;
    check.note(fmt::format("{} covers {} of {} steps: the run that appended did not continue it", age.path, age.steps,
                           catalog.length));
  }
  check.detail = fmt::format("{} maps", maps);
  if (maps == 0) check.leave_out("there are none");
}

}  // namespace weft::verify
