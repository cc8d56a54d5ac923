#include "weft/refs/file_references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "weft/reading/series_reader.hpp"
#include "weft/refs/chunk_finder.hpp"
#include "weft/refs/virtual_run.hpp"
#include "weft/refs/zarr_description.hpp"
#include "weft/storage/metadata_watch.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/storage/writer_lock.hpp"
#include "weft/support/error.hpp"
#include "weft/survey/chunk_source.hpp"
#include "weft/survey/object_walk.hpp"
#include "weft/survey/open_file.hpp"

namespace weft::refs {

namespace {

using nlohmann::json;
using storage::Handle;
using survey::StorageKind;

std::string with_slash(const std::string& name) { return name.starts_with('/') ? name : "/" + name; }

Handle open_object(hid_t file, const std::string& path) {
  return Handle(
      storage::check_hdf5(H5Oopen(file, path.c_str(), H5P_DEFAULT), path, "cannot be opened", ErrorKind::data));
}

class Collecting {
 public:
  explicit Collecting(const ReferenceRequest& request)
      : request_(request),
        alive_([this] {
          if (request_.looking) request_.looking(at_);
        }),
        file_(survey::open_file(request.path)),
        bytes_(survey::open_bytes(request.path)),
        chunks_(request.path, *bytes_, alive_) {
    if (const std::uint64_t block = survey::user_block_of(file_); block > 0) {
      throw Error(ErrorKind::data, request.path,
                  fmt::format("has a user block of {} bytes, which moves all places in the file", block),
                  "h5unjam takes it away");
    }
    for (const std::string& name : request.datasets) wanted_.insert(with_slash(name));
    if (!storage::is_series_file(request.path)) return;
    ReadOptions options;
    options.access = layout::AccessCost{};  // no value is read: no need to measure
    series_.emplace(SeriesReader::open(request.path, options));
    found_.steps = series_->committed();
  }

  References collect() {
    group("/");
    for (const std::string& name : wanted_) {
      const auto has_it = [&](const auto& one) { return one.path == name; };
      if (std::none_of(found_.arrays.begin(), found_.arrays.end(), has_it)) refuse(name);
    }
    return std::move(found_);
  }

 private:
  // Why a dataset that was asked for by name is not in the list.
  void refuse(const std::string& name) const {
    for (const Remark& remark : found_.left_out) {
      if (remark.path == name) throw Error(ErrorKind::data, request_.path, fmt::format("{} {}", name, remark.what));
    }
    throw Error(ErrorKind::usage, request_.path, fmt::format("has no dataset {}", name),
                fmt::format("weft refs {} lists all there are", request_.path));
  }

  // What a series needs for itself: other names of its fields, slots, checksums, the view.
  bool is_internal(const std::string& path) const { return series_ && (path == "/weft" || path == "/VTKHDF"); }

  void group(const std::string& path) {
    const Handle object = open_object(file_, path);
    names_.try_emplace(survey::address_of(object), path);
    found_.groups.push_back({path, attributes_of(object)});
    struct Child {
      std::string path;
      Handle object;
    };
    std::vector<Child> children;
    for (const survey::FoundLink& link : survey::links_of(object, path)) {
      if (is_internal(link.path)) continue;
      if (link.kind != survey::LinkKind::hard) {
        leave_out(link.path, fmt::format("is a {} to {}", survey::name_of(link.kind), link.target));
        continue;
      }
      Handle child = open_object(file_, link.path);
      if (names_.try_emplace(survey::address_of(child), link.path).second) {
        children.push_back({link.path, std::move(child)});
      } else {
        leave_out(link.path, "is another name of what is listed already");
      }
    }
    AxisNaming axes(names_);
    std::vector<std::string> groups;
    for (const Child& child : children) {
      if (H5Iget_type(child.object) == H5I_GROUP) groups.push_back(child.path);
      if (H5Iget_type(child.object) != H5I_DATASET) continue;
      at_ = child.path;
      alive_();
      if (wanted_.empty() || wanted_.contains(child.path)) dataset(child.object, child.path, axes);
    }
    children.clear();
    for (const std::string& below : groups) group(below);
  }

  void leave_out(const std::string& path, std::string why) {
    if (wanted_.empty() || wanted_.contains(path)) found_.left_out.push_back({path, std::move(why)});
  }

  void dataset(hid_t object, const std::string& path, AxisNaming& axes) {
    if (only_counts(object)) return;
    const survey::DatasetFacts facts = survey::facts_of(object, path);
    const Handle type(H5Dget_type(object));
    const std::optional<std::string> dtype = dtype_of(type);
    if (!dtype) return leave_out(path, fmt::format("holds {}, no numbers that all readers of zarr have", facts.type));
    if (facts.empty && facts.shape.empty()) return leave_out(path, "holds nothing");
    ArrayReferences array{path, *dtype, facts.shape, facts.chunk, facts.filters};
    const std::optional<std::size_t> field = series_ ? series_->catalog().find_field(path.substr(1)) : std::nullopt;
    if (field) {
      array.shape[0] = series_->committed();
      array.chunk = series_->catalog().segments.at(0).fields[*field].chunk;
      chunks_.find_field(file_, *series_, *field, array);
    } else if (!find_chunks(object, facts, array)) {
      return;
    }
    // Readers want one element at least, of what has none as well.
    for (std::uint64_t& extent : array.chunk) extent = std::max<std::uint64_t>(1, extent);
    array.attributes = attributes_of(object);
    array.attributes["_ARRAY_DIMENSIONS"] = axes.names_of(object, path, array.shape);
    set_fill(object, array);
    found_.arrays.push_back(std::move(array));
  }

  // False where it is left out.
  bool find_chunks(hid_t object, const survey::DatasetFacts& facts, ArrayReferences& array) {
    if (facts.storage == StorageKind::chunked) {
      if (!facts.empty) chunks_.find(object, facts, array);
      return true;
    }
    array.filters.clear();
    array.chunk = facts.shape;
    if (facts.storage == StorageKind::external) {
      leave_out(facts.path, "has its values in other files");
      return false;
    }
    if (facts.storage == StorageKind::view) return find_rows(object, facts, array);
    if (facts.empty) return true;
    if (facts.storage == StorageKind::compact) {
      const Handle type(H5Dget_type(object));
      array.values.emplace(facts.logical_bytes());
      storage::check_hdf5(H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values->data()), facts.path,
                          "cannot be read", ErrorKind::data);
    } else if (const haddr_t at = H5Dget_offset(object); at != HADDR_UNDEF) {
      chunks_.check_inside(facts.path, at, facts.logical_bytes());
      array.chunks.push_back({0, at, facts.logical_bytes()});
    }
    return true;
  }

  bool find_rows(hid_t object, const survey::DatasetFacts& facts, ArrayReferences& array) {
    const std::optional<VirtualRun> run = facts.empty ? std::nullopt : virtual_run(file_, object, facts.shape);
    if (!run) {
      leave_out(facts.path, "is a virtual dataset, which zarr has not");
      return false;
    }
    chunks_.check_inside(facts.path, run->at, facts.logical_bytes() / facts.shape[0] * run->rows);
    if (run->rows == facts.shape[0]) {
      array.chunks.push_back({0, run->at, facts.logical_bytes()});
      return true;
    }
    array.chunk[0] = 1;
    const std::uint64_t row_bytes = facts.logical_bytes() / facts.shape[0];
    for (std::uint64_t row = 0; row < run->rows; ++row) {
      array.chunks.push_back({run->first + row, run->at + row * row_bytes, row_bytes});
    }
    return true;
  }

  // xarray takes the fill value for "no value". So it is the one that the file's own convention has for that; and
  // HDF5's only where some chunk is not there, which must read as it.
  void set_fill(hid_t object, ArrayReferences& array) {
    const json missing = missing_number(object);
    if (array.values || array.chunks.size() == array.grid_chunks()) {
      array.fill = missing;
      return;
    }
    array.fill = fill_number(object);
    if (array.fill == missing || array.fill == "NaN") return;
    found_.notes.push_back(
        {array.path, fmt::format("{} of {} chunks were never written and read as {}, which xarray "
                                 "shows as missing, here and wherever it is a value",
                                 array.grid_chunks() - array.chunks.size(), array.grid_chunks(), array.fill.dump())});
    if (!missing.is_null()) array.attributes["missing_value"] = missing;
  }

  const ReferenceRequest& request_;
  std::string at_ = "/";
  std::function<void()> alive_;
  const storage::QuietHdf5 quiet_;
  Handle file_;
  std::unique_ptr<storage::ByteStore> bytes_;
  ChunkFinder chunks_;
  std::optional<SeriesReader> series_;
  std::set<std::string> wanted_;
  std::map<std::uint64_t, std::string> names_;  // of all objects met, by their addresses
  References found_;
};

}  // namespace

References references_of(const ReferenceRequest& request) {
  References found;
  // Of a file that is being written, metadata may change in the midst.
  const auto look = [&] {
    storage::look_until_whole(request.path, [&] {
      found = Collecting(request).collect();
      return true;
    });
  };
  // The end of a filtered series moves while it is written: in that moment the file seems to be cut short.
  constexpr int kLooks = 5;
  constexpr auto kPause = std::chrono::milliseconds(50);
  for (int looks = 1;; ++looks) {
    try {
      look();
      return found;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::data || looks == kLooks || !storage::has_living_writer(request.path)) throw;
    }
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace weft::refs
