// What will be done to a file: which datasets are laid out anew, how, and in which regions they move.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "weft/inspect/advice.hpp"
#include "weft/inspect/arrangement.hpp"
#include "weft/layout/design.hpp"
#include "weft/repack/paging.hpp"
#include "weft/repack/repack.hpp"
#include "weft/storage/metadata_watch.hpp"
#include "weft/support/error.hpp"
#include "weft/survey/chunk_source.hpp"
#include "weft/survey/open_file.hpp"
#include "weft/survey/virtual_sources.hpp"

namespace weft::repack {

namespace {

namespace fs = std::filesystem;

using storage::Filter;
using storage::Handle;

// Why a dataset cannot be laid out anew; nothing where it can.
std::optional<std::string> obstacle(const survey::DatasetFacts& facts) {
  if (facts.empty) return "it is empty";
  if (facts.scalar) return "it is a scalar";
  if (!facts.movable) return fmt::format("its elements ({}) hold references or text of variable length", facts.type);
  if (facts.storage == survey::StorageKind::view)
    return "it is a view of other datasets, which can be repacked themselves";
  if (facts.storage == survey::StorageKind::external) return "its elements lie in another file";
  return std::nullopt;
}

std::vector<const survey::DatasetFacts*> named(const survey::Survey& survey, const std::vector<std::string>& names) {
  std::vector<const survey::DatasetFacts*> found;
  for (const std::string& name : names) {
    const survey::DatasetFacts* facts = survey.find(name);
    if (facts == nullptr) {
      std::string known;
      for (const survey::DatasetFacts& other : survey.datasets) known += (known.empty() ? "" : ", ") + other.path;
      throw Error(ErrorKind::usage, survey.path, fmt::format("has no dataset {}", name),
                  known.empty() ? "it has none" : fmt::format("it has {}", known));
    }
    if (const auto why = obstacle(*facts)) {
      throw Error(ErrorKind::usage, fmt::format("{}: {}", survey.path, facts->path),
                  fmt::format("cannot be rechunked: {}", *why), "leave it out: it is then copied unchanged");
    }
    found.push_back(facts);
  }
  return found;
}

std::vector<Filter> filters_for(const RepackRequest& request, const survey::DatasetFacts& facts) {
  if (request.filter != "keep") return storage::parse_filters(request.filter, facts.element_bytes);
  std::vector<Filter> filters = facts.filters;
  for (const Filter& filter : filters) {
    unsigned config = 0;
    const bool encodes = storage::coded_here({filter}) || (H5Zget_filter_info(filter.id, &config) >= 0 &&
                                                           (config & H5Z_FILTER_CONFIG_ENCODE_ENABLED) != 0);
    if (!encodes) {
      throw Error(ErrorKind::data, facts.path,
                  fmt::format("is filtered by {}, which can be read here and not written", filter.name),
                  "choose another: --filter shuffle+deflate");
    }
  }
  return filters;
}

layout::Design design_for(const RepackRequest& request, const Chosen& chosen) {
  layout::DesignRequest design;
  design.shape = chosen.axes.shape;
  design.element_bytes = chosen.facts.element_bytes;
  design.target_bytes = std::max(request.target_bytes, chosen.facts.element_bytes);
  design.axes = chosen.axes.axes;
  design.read_text = request.reads;
  design.ranks = request.ranks_of_a_block;
  design.access = request.access;
  design.coding = inspect::coding_of(chosen.facts, chosen.filters);
  return layout::design(design);
}

class Planner {
 public:
  explicit Planner(const RepackRequest& request) : request_(request), file_(survey::open_file(request.in)) {
    plan_.survey = survey::survey(request.in);
    workers_ = static_cast<std::uint64_t>(worker_count(request));
  }

  RepackPlan plan() {
    for (const survey::DatasetFacts& facts : plan_.survey.datasets) {
      if (const Filter* unknown = storage::first_unknown(facts.filters)) {
        // Chunks that are copied as they are need not be understood.
        if (is_wanted(facts)) {
          throw Error(
              ErrorKind::data, fmt::format("{}: {}", request_.in, facts.path),
              fmt::format("has chunks with filter {} ({}), which cannot be decoded here", unknown->id, unknown->name),
              "install its HDF5 plugin and set HDF5_PLUGIN_PATH, or choose other datasets: --dataset");
        }
      }
    }
    if (!request_.in_place) check_out_is_no_source();
    for (const survey::DatasetFacts* facts : candidates()) choose(*facts);
    return std::move(plan_);
  }

 private:
  // Views of other files stay views: a new file in the place of what one shows would show itself.
  void check_out_is_no_source() const {
    const fs::path folder = fs::path(request_.in).parent_path();
    std::error_code none;
    for (const survey::DatasetFacts& facts : plan_.survey.datasets) {
      if (facts.storage != survey::StorageKind::view && facts.storage != survey::StorageKind::external) continue;
      const Handle dataset(H5Dopen2(file_, facts.path.c_str(), H5P_DEFAULT));
      for (const std::string& source : survey::source_files(dataset)) {
        // HDF5 looks beside the file first, then in the folder where the program is.
        if (fs::equivalent(folder / source, request_.out, none) || fs::equivalent(source, request_.out, none)) {
          throw Error(ErrorKind::usage, request_.out, fmt::format("is what {} of {} shows", facts.path, request_.in),
                      "name another file");
        }
      }
    }
  }

  bool is_wanted(const survey::DatasetFacts& facts) const {
    if (request_.datasets.empty()) return has_steps(facts) && !obstacle(facts);
    return std::any_of(request_.datasets.begin(), request_.datasets.end(),
                       [&](const std::string& name) { return plan_.survey.find(name) == &facts; });
  }

  bool has_steps(const survey::DatasetFacts& facts) const { return survey::known_axes(file_, facts).has_value(); }

  std::vector<const survey::DatasetFacts*> candidates() {
    if (!request_.datasets.empty()) return named(plan_.survey, request_.datasets);
    std::vector<const survey::DatasetFacts*> found;
    for (const survey::DatasetFacts& facts : plan_.survey.datasets) {
      if (facts.empty || facts.logical_bytes() < inspect::kLeastRepackedBytes || !has_steps(facts)) continue;
      if (const auto why = obstacle(facts)) {
        plan_.kept_because.push_back(fmt::format("{}: {}", facts.path, *why));
        continue;
      }
      found.push_back(&facts);
    }
    return found;
  }

  survey::KnownAxes axes_of(const survey::DatasetFacts& facts) const {
    if (!request_.axes.empty()) return survey::told_axes(file_, facts, request_.axes);
    if (auto known = survey::known_axes(file_, facts)) return *known;
    survey::KnownAxes assumed;  // it was named, so it is taken for steps
    assumed.shape = facts.shape;
    assumed.axes = layout::default_axes(facts.shape.size());
    return assumed;
  }

  void choose(const survey::DatasetFacts& facts) {
    Chosen chosen;
    chosen.facts = facts;
    chosen.axes = axes_of(facts);
    chosen.filters = filters_for(request_, facts);
    const layout::Design design = design_for(request_, chosen);
    const std::optional<Shape> chunk = survey::chunk_in_file(chosen.axes, design.chunk);
    if (!chunk) {
      plan_.kept_because.push_back(
          fmt::format("{}: a chunk of {} of its steps is none of the dataset", facts.path, to_string(design.chunk)));
      return;
    }
    chosen.chunk = *chunk;
    chosen.rationale = layout::to_json(design).dump();
    if (chosen.chunk == facts.chunk && chosen.filters == facts.filters) {
      plan_.kept_because.push_back(fmt::format("{}: it has that layout already", facts.path));
      return;
    }
    const Handle dataset(storage::check_hdf5(H5Dopen2(file_, facts.path.c_str(), H5P_DEFAULT), request_.in,
                                             "cannot open " + facts.path, ErrorKind::data));
    const bool never_written = facts.storage == survey::StorageKind::contiguous && facts.stored_bytes == 0;
    chosen.direct_source =
        facts.storage != survey::StorageKind::compact && survey::array_in_bytes(dataset, facts).has_value();
    if (facts.storage == survey::StorageKind::compact ||
        (facts.storage == survey::StorageKind::contiguous && never_written)) {
      plan_.kept_because.push_back(fmt::format(
          "{}: {}", facts.path, never_written ? "none of it was ever written" : "it is in the file's metadata"));
      return;
    }
    // A place for every chunk is right only where every element was written, and known beforehand only where the
    // dataset cannot grow.
    chosen.direct_target =
        chosen.filters.empty() && !facts.grows() && all_written(facts) && survey::user_block_of(file_) == 0;
    MoveRequest move;
    move.name = fmt::format("{}: {}", request_.in, facts.path);
    move.shape = facts.shape;
    move.element_bytes = facts.element_bytes;
    move.source_chunk = facts.storage == survey::StorageKind::chunked ? facts.chunk : facts.shape;
    move.decode_whole = !chosen.direct_source;
    move.target_chunk = chosen.chunk;
    move.encode_whole = !chosen.direct_target || request_.checksums;  // only a whole chunk has a checksum
    move.budget_bytes = request_.budget_bytes;
    move.workers = workers_;
    chosen.plan = plan_move(move);
    plan_.chosen.push_back(std::move(chosen));
  }

  static bool all_written(const survey::DatasetFacts& facts) {
    if (facts.storage == survey::StorageKind::contiguous) return true;
    std::uint64_t chunks = 1;
    for (std::size_t i = 0; i < facts.shape.size(); ++i) chunks *= ceil_div(facts.shape[i], facts.chunk[i]);
    return facts.stored_chunks == chunks;
  }

  const RepackRequest& request_;
  storage::QuietHdf5 quiet_;
  Handle file_;
  std::uint64_t workers_;
  RepackPlan plan_;
};

}  // namespace

std::uint64_t RepackPlan::bytes() const {
  std::uint64_t bytes = 0;
  for (const Chosen& dataset : chosen) bytes += dataset.facts.logical_bytes();
  return bytes;
}

int worker_count(const RepackRequest& request) {
  return request.jobs > 0 ? request.jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

RepackPlan plan_repack(const RepackRequest& request) {
  RepackPlan plan;
  storage::look_until_whole(request.in, [&] {
    plan = plan_repack_of_locked(request);
    return true;
  });
  return plan;
}

RepackPlan plan_repack_of_locked(const RepackRequest& request) {
  storage::register_filters();
  RepackPlan plan = Planner(request).plan();
  if (request.page_bytes) {
    plan.page_bytes = *request.page_bytes == kPagesThatSuit ? page_bytes_for(plan) : *request.page_bytes;
    check_pages(request.in, plan.page_bytes);
  }
  return plan;
}

}  // namespace weft::repack
