#include "weft/verify/file_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "weft/storage/catalog_open_file.hpp"
#include "weft/storage/commit_slots.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/hdf5_versions.hpp"
#include "weft/storage/metadata_change.hpp"
#include "weft/storage/metadata_watch.hpp"
#include "weft/storage/new_file.hpp"
#include "weft/storage/superblock.hpp"
#include "weft/storage/writer_lock.hpp"
#include "weft/storage/writer_state.hpp"
#include "weft/support/amount.hpp"
#include "weft/survey/object_walk.hpp"
#include "weft/survey/open_file.hpp"
#include "weft/survey/places.hpp"
#include "weft/survey/survey.hpp"
#include "weft/survey/virtual_sources.hpp"
#include "weft/verify/data_check.hpp"
#include "weft/verify/mesh_check.hpp"
#include "weft/verify/series_check.hpp"

namespace weft::verify {

namespace {

using storage::Handle;
using storage::Superblock;

constexpr std::array<unsigned, 2> kWeftSuperblocks{2, 3};  // of format 2, and of format 1
constexpr int kMostLooks = 5;                              // at a file that is changed meanwhile

void check_leftovers(const std::string& path, Check& check) {
  const storage::MetadataLeftovers left = storage::metadata_leftovers(path);
  check.detail = "no file of an interrupted change is beside it";
  if (left.undo) {
    try {
      if (storage::interrupted_change(path) == storage::UndoState::part) {
        check.fail("a metadata change was interrupted; weft recover undoes it");
      } else {
        check.note("the undo file of an earlier change is beside it; weft recover removes it");
      }
    } catch (const Error& error) {  // it is damaged, or of another file
      check.fail(error.what());
    }
  }
  if (!left.undo && left.scratch) check.note("an interrupted change left files beside it; weft recover removes them");
  if (storage::has_parts(path) && !storage::has_living_writer(path)) {
    check.note("an unfinished file of a command that died is beside it; weft recover removes it");
  }
}

void check_superblock(const Superblock& superblock, std::uint64_t size, Check& check) {
  check.detail = fmt::format("version {}, {} bytes", superblock.version, format_count(superblock.end_of_file));
  if (superblock.at > 0) check.detail += fmt::format(", after a user block of {}", superblock.at);
  if (!superblock.intact) check.fail("its checksum is wrong");
  if (superblock.end_of_file > size) {
    check.fail(fmt::format("the file is truncated: it has {} of {} bytes", format_count(size),
                           format_count(superblock.end_of_file)));
  }
  if (superblock.end_of_file < size) {
    check.detail += fmt::format(", {} more at the end are unused", format_count(size - superblock.end_of_file));
  }
  if (superblock.marked) {
    check.fail("the file is marked as being written; if no program is writing it, weft recover removes the mark");
  }
}

void check_objects(const survey::ObjectWalk& walk, Check& check) {
  std::uint64_t counts[3] = {0, 0, 0};
  for (const survey::FoundObject& object : walk.objects) ++counts[static_cast<std::size_t>(object.kind)];
  check.detail = fmt::format("{} groups, {} datasets, {} types", format_count(counts[0]), format_count(counts[1]),
                             format_count(counts[2]));
  for (const survey::Problem& problem : walk.problems) check.fail(problem.path + ": " + problem.what);
}

void check_soft_links(hid_t file, const survey::ObjectWalk& walk, Check& check) {
  std::uint64_t links = 0;
  for (const survey::FoundLink& link : walk.links) {
    if (link.kind != survey::LinkKind::soft) continue;
    ++links;
    if (H5Oexists_by_name(file, link.path.c_str(), H5P_DEFAULT) > 0) continue;
    check.note(fmt::format("{} points at {}, which is not there", link.path, link.target));
  }
  check.detail = fmt::format("{} soft links", links);
  if (links == 0) check.leave_out("there are none");
}

herr_t read_attribute(hid_t object, const char* name, const H5A_info_t*, void* data) {
  auto& problems = *static_cast<std::vector<std::string>*>(data);
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT));
  const Handle type(H5Aget_type(attribute));
  const Handle space(H5Aget_space(attribute));
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (!type.valid() || count < 0) {
    problems.push_back(fmt::format("attribute {}: {}", name, storage::take_hdf5_error()));
    return 0;
  }
  std::vector<std::byte> values(static_cast<std::size_t>(count) * H5Tget_size(type));
  if (values.empty()) return 0;
  if (H5Aread(attribute, type, values.data()) < 0) {
    problems.push_back(fmt::format("attribute {}: {}", name, storage::take_hdf5_error()));
  } else {
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, values.data());
  }
  return 0;
}

void check_attributes(hid_t file, const survey::ObjectWalk& walk, Check& check) {
  std::uint64_t attributes = 0;
  for (const survey::FoundObject& object : walk.objects) {
    const Handle handle(H5Oopen(file, object.path.c_str(), H5P_DEFAULT));
    std::uint64_t count = 0;
    if (storage::attribute_count(handle, count) >= 0) attributes += count;
    std::vector<std::string> problems;
    if (H5Aiterate2(handle, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, read_attribute, &problems) < 0) {
      problems.push_back("its attributes cannot be listed: " + storage::take_hdf5_error());
    }
    for (const std::string& problem : problems) check.fail(object.path + ": " + problem);
  }
  check.detail = format_count(attributes);
}

template <typename Work>
void for_each_dataset(hid_t file, const survey::ObjectWalk& walk, Check& check, const Work& work) {
  for (const survey::FoundObject& object : walk.objects) {
    if (object.kind != survey::ObjectKind::dataset) continue;
    try {
      const Handle dataset(storage::check_hdf5(H5Dopen2(file, object.path.c_str(), H5P_DEFAULT), object.path,
                                               "cannot be opened", ErrorKind::data));
      work(dataset, object.path);
    } catch (const Error& error) {
      check.fail(error.what());
    }
  }
}

void check_places(hid_t file, const survey::ObjectWalk& walk, const Superblock& superblock, std::uint64_t size,
                  Check& check) {
  if (superblock.at > 0) return check.leave_out("with a user block HDF5 gives addresses in two ways");
  std::vector<survey::DataRange> places;
  std::uint64_t unseen = 0;
  for_each_dataset(file, walk, check, [&](hid_t dataset, const std::string& path) {
    // Maps lead to rows that are there under another name (check_maps).
    if (path.starts_with("/maps/") && H5Lexists(file, ("/weft" + path).c_str(), H5P_DEFAULT) > 0) return;
    if (!survey::add_places(dataset, path, places)) ++unseen;
  });
  // Chunks that are not written yet share one.
  for (const std::uint64_t blank : storage::blank_chunks(file)) {
    const auto at_blank = [&](const survey::DataRange& place) { return place.begin == blank; };
    const auto first = std::find_if(places.begin(), places.end(), at_blank);
    if (first != places.end()) places.erase(std::remove_if(first + 1, places.end(), at_blank), places.end());
  }
  if (const auto conflict = survey::first_conflict(places, size)) check.fail(*conflict);
  std::uint64_t bytes = 0;
  for (const survey::DataRange& place : places) bytes += place.end - place.begin;
  check.detail =
      fmt::format("{} of data in {} places, none of which overlap", format_bytes(bytes), format_count(places.size()));
  if (unseen > 0) {
    check.detail += fmt::format("; {} datasets of more than {} chunks were not looked at", unseen,
                                format_count(survey::kMostPlaces));
  }
}

// Virtual datasets: what they show is there, and as large as they think.
void check_shown(hid_t file, const std::string& path, const survey::ObjectWalk& walk, Check& check) {
  std::uint64_t shown = 0;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for_each_dataset(file, walk, check, [&](hid_t dataset, const std::string& name) {
    const std::vector<survey::VirtualSource> sources = survey::virtual_sources(dataset);
    shown += sources.empty() ? 0 : 1;
    for (const survey::VirtualSource& source : sources) {
      if ((source.file + source.dataset).find('%') != std::string::npos) continue;  // a pattern for many files
      if (source.file != ".") {
        if (!std::filesystem::exists(folder / source.file)) {
          check.note(fmt::format("{} shows {}, which is not there", name, source.file));
        }
        continue;
      }
      const Handle from(H5Dopen2(file, source.dataset.c_str(), H5P_DEFAULT));
      if (!from.valid()) {
        H5Eclear2(H5E_DEFAULT);
        check.fail(fmt::format("{} shows {}, which is not there", name, source.dataset));
        continue;
      }
      const Shape shape = survey::facts_of(from, source.dataset).shape;
      const bool inside = source.reach.empty() ||
                          (shape.size() == source.reach.size() &&
                           std::equal(shape.begin(), shape.end(), source.reach.begin(), std::greater_equal<>()));
      if (inside) continue;
      check.fail(fmt::format("{} shows {} of {}, which is {}", name, to_string(source.reach), source.dataset,
                             to_string(shape)));
    }
  });
  check.detail = fmt::format("{} virtual datasets", shown);
  if (shown == 0) check.leave_out("no dataset is virtual");
}

void check_series(hid_t file, FileReport& report, storage::ByteStore& bytes, const Superblock& superblock,
                  const FileCheckOptions& options) {
  const bool with_values = !options.quick;
  storage::SeriesCatalog catalog;
  const Check& mapped = report.list.run("weft format", [&](Check& check) {
    if (std::ranges::find(kWeftSuperblocks, superblock.version) == kWeftSuperblocks.end()) {
      check.note(fmt::format("a superblock of version {}: rewritten by another tool", superblock.version));
    }
    catalog = storage::catalog_open_file(file, report.path);
    check.detail = fmt::format("version {}, created by {}", catalog.format_version, catalog.created_by);
  });
  if (mapped.verdict == Verdict::fail) return;
  report.steps = catalog.length;
  report.list.run("segments", [&](Check& check) { check_segments(file, catalog, check); });
  report.list.run("fields", [&](Check& check) { check_fields(file, catalog, check); });
  std::uint64_t committed = 0;
  report.list.run("commit slots", [&](Check& check) {
    const std::vector<std::uint64_t> slots = storage::read_slots(bytes, catalog);
    committed = storage::readable_steps(bytes, catalog, options.lock);
    report.committed = committed;
    check_commit(catalog, slots, committed, check);
  });
  report.list.run("times", [&](Check& check) { check_times(file, catalog, committed, check); });
  report.list.run("mesh", [&](Check& check) { check_mesh(file, catalog, with_values, check); });
  report.list.run("subsets", [&](Check& check) { check_subsets(file, catalog, with_values, check); });
  report.list.run("view", [&](Check& check) { check_view(file, catalog, bytes, check); });
  report.list.run("maps", [&](Check& check) { check_maps(file, catalog, check); });
}

void check_open_file(hid_t file, FileReport& report, storage::ByteStore& bytes, const Superblock& superblock,
                     const FileCheckOptions& options) {
  const storage::QuietHdf5 quiet;
  survey::ObjectWalk walk;
  CheckList& list = report.list;
  list.run("objects", [&](Check& check) {
    walk = survey::walk_objects(file);
    check_objects(walk, check);
  });
  list.run("soft links", [&](Check& check) { check_soft_links(file, walk, check); });
  list.run("attributes", [&](Check& check) { check_attributes(file, walk, check); });
  list.run("places", [&](Check& check) { check_places(file, walk, superblock, bytes.size(), check); });
  list.run("shown", [&](Check& check) { check_shown(file, report.path, walk, check); });
  report.is_weft = storage::has_series(file);
  H5Eclear2(H5E_DEFAULT);
  if (report.is_weft) {
    check_series(file, report, bytes, superblock, options);
  } else {
    list.run("weft format", [](Check& check) { check.leave_out("not a Weft file"); });
  }
  Check checksums;
  checksums.what = "checksums";
  list.run("chunks", [&](Check& check) {
    if (!options.quick) return check_data(file, walk, options.budget_bytes, options.progress, check, checksums);
    check.leave_out("not read (--quick)");
    checksums.leave_out("not read (--quick)");
  });
  list.checks.push_back(std::move(checksums));
}

}  // namespace

namespace {

FileReport check_once(const std::string& path, const FileCheckOptions& options) {
  FileReport report;
  report.path = path;
  const auto bytes = survey::open_bytes(path);
  std::optional<Superblock> superblock = storage::read_superblock(*bytes);
  if (!superblock) throw Error(ErrorKind::data, path, "is not an HDF5 file", "check the path");
  report.list.run("left over", [&](Check& check) { check_leftovers(path, check); });
  const Check& block =
      report.list.run("superblock", [&](Check& check) { check_superblock(*superblock, bytes->size(), check); });
  if (block.verdict == Verdict::fail) return report;
  Handle file;
  const Check& opened = report.list.run("opening", [&](Check& check) {
    file = survey::open_file(path);
    check.detail = "HDF5 opens it";
  });
  if (opened.verdict != Verdict::fail) check_open_file(file, report, *bytes, *superblock, options);
  return report;
}

}  // namespace

FileReport check_file(const std::string& path, const FileCheckOptions& options) {
  // What was changed while it was looked at may only have seemed wrong.
  for (int looks = 1;; ++looks) {
    const storage::MetadataWatch watch(path);
    FileReport report = check_once(path, options);
    if (report.sound() || looks == kMostLooks || watch.unchanged()) return report;
  }
}

}  // namespace weft::verify
