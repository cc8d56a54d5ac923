#include <algorithm>

#include "kernels/ecg/box_mesh.hpp"
#include "kernels/ecg/ecg_plan.hpp"
#include "kernels/ecg/source_writer.hpp"
#include "predict/chunk_pieces.hpp"
#include "predict/kernel_work.hpp"
#include "predict/mesh_requests.hpp"
#include "predict/series_requests.hpp"
#include "predict/series_work.hpp"
#include "weft/partition/ownership.hpp"
#include "weft/series/call_parts.hpp"
#include "weft/series/field_layout.hpp"
#include "weft/series/file_plan.hpp"
#include "weft/series/mpi_collective_strategy.hpp"
#include "weft/support/data_type.hpp"
#include "weft/support/shape.hpp"

namespace weft::predict {

namespace {

using kernels::ecg::EcgOptions;
using stores::Sharing;

std::uint64_t mesh_bytes(const EcgOptions& options, std::uint64_t nodes) {
  return options.mesh && options.source == "synthetic" ? bytes_of(kernels::ecg::box_mesh(nodes)) : 0;
}

Requests mesh_requests(const EcgOptions& options, const Surroundings& around, std::uint64_t nodes) {
  if (mesh_bytes(options, nodes) == 0) return {};
  return requests_of(kernels::ecg::box_mesh(nodes), around.ranks, around.most_bytes_of_a_call());
}

// A collective write of HDF5 for each step, or for all steps of a chunk.
class HeartRank {
 public:
  HeartRank(const EcgOptions& options, const Surroundings& around, std::uint64_t rank)
      : options_(options), around_(around), number_(rank) {}

  void begin(std::uint64_t mesh_bytes) {
    rank_.call("open", "mpi start");
    rank_.call("open", "hdf5 start");
    rank_.call("open", "series open");
    write_mesh(rank_, mesh_bytes, around_.ranks, around_.most_request_bytes, around_.rates);
    written_ = mesh_bytes / around_.ranks;
  }

  void field(const FieldSpec& spec, std::uint64_t steps) {
    const Shape chunk =
        series::choose_layout(spec, 1, steps, static_cast<int>(around_.ranks), options_.align_bytes).chunk;
    const partition::Block block =
        partition::even_block(spec.per_step[0], static_cast<int>(number_), static_cast<int>(around_.ranks));
    const std::uint64_t node_bytes = element_count(spec.per_step) / spec.per_step[0] * size_of(spec.type);
    const bool cached = options_.mpi.strategy == Strategy::cached;
    const std::uint64_t gathered = cached ? std::min(chunk[0], steps) : 1;
    const auto calls = static_cast<double>(ceil_div(steps, gathered));
    const auto bytes = static_cast<double>(block.count * node_bytes * steps);
    // The steps of one chunk are gathered in memory that is new the first time.
    const double fresh = cached ? bytes * static_cast<double>(gathered) / static_cast<double>(steps) : 0;
    rank_.spend("write", fresh / around_.rates.fresh_copy + (bytes - fresh) / around_.rates.copy);
    rank_.call("write", "series step", calls);
    if (!cached) rank_.call("write", "series step MiB", bytes / (1 << 20));
    const Cut cut = cut_of(block, chunk[1]);
    if (cached && chunk[1] <= block.count) {
      whole_chunks(cut, chunk[1] * node_bytes, node_bytes, gathered, steps);
    } else {
      single_steps(cut, chunk[1] * node_bytes, node_bytes, calls, steps);
    }
    written_ += block.count * node_bytes * steps;
  }

  std::vector<Step> end() {
    rank_.meet("close");
    if (options_.writer.sync != Sync::none) rank_.sync("close", written_, piece_);
    return rank_.steps();
  }

 private:
  // The chunks that a rank's nodes of a step lie in: whole ones, and nodes of others before and behind them.
  struct Cut {
    std::uint64_t lead;
    std::uint64_t chunks;
    std::uint64_t trail;
  };
  static Cut cut_of(const partition::Block& block, std::uint64_t chunk_nodes) {
    const std::uint64_t lead = std::min((chunk_nodes - block.first % chunk_nodes) % chunk_nodes, block.count);
    const std::uint64_t chunks = (block.count - lead) / chunk_nodes;
    return {lead, chunks, block.count - lead - chunks * chunk_nodes};
  }

  // Each step in pieces, one of each chunk.
  void single_steps(const Cut& cut, std::uint64_t chunk_bytes, std::uint64_t node_bytes, double calls,
                    std::uint64_t steps) {
    const std::uint64_t of_a_step = (cut.lead > 0 ? 1 : 0) + cut.chunks + (cut.trail > 0 ? 1 : 0);
    const auto pieces = static_cast<double>(of_a_step * steps);
    if (pieces > calls) rank_.call("write", "series piece", pieces);
    const Sharing sharing = pieces > calls * 2 ? Sharing::in_turn : Sharing::apart;
    for (const auto& [bytes, times] :
         {std::pair{cut.lead * node_bytes, std::uint64_t{1}}, std::pair{chunk_bytes, cut.chunks},
          std::pair{cut.trail * node_bytes, std::uint64_t{1}}}) {
      if (bytes * times > 0) rank_.write("write", sharing, bytes, static_cast<double>(times * steps));
      piece_ = std::max(piece_, bytes * std::min<std::uint64_t>(times, 1));
    }
  }

  // What lies together in the file is all steps of a chunk that is wholly the rank's. Of a chunk that it has only some
  // nodes of, each step lies apart: another rank has the rest, or the last chunk has more places than there are nodes.
  // MPI-IO may join what neighbours write (Open MPI does on ext4, where one rank writes for all, and not on CephFS):
  // what a rank has at its two borders counts as one piece a step.
  void whole_chunks(const Cut& cut, std::uint64_t chunk_bytes, std::uint64_t node_bytes, std::uint64_t gathered,
                    std::uint64_t steps) {
    const auto each_step = [&](std::uint64_t nodes, Sharing sharing) {
      if (nodes == 0) return;
      rank_.call("write", "series piece", static_cast<double>(steps));
      rank_.write("write", sharing, nodes * node_bytes, static_cast<double>(steps));
    };
    const bool is_last = number_ + 1 == around_.ranks;
    each_step(cut.lead + (is_last ? 0 : cut.trail), Sharing::in_turn);
    const bool many = cut.lead + cut.trail > 0 || cut.chunks > 2;
    const auto rows = [&](std::uint64_t count, std::uint64_t row_steps) {
      if (count * cut.chunks == 0 || row_steps == 0) return;
      const auto pieces = static_cast<double>(count * cut.chunks);
      if (cut.chunks > 1) rank_.call("write", "series piece", pieces);
      rank_.write("write", many ? Sharing::in_turn : Sharing::apart, chunk_bytes * row_steps, pieces);
    };
    rows(steps / gathered, gathered);
    rows(1, steps % gathered);
    if (is_last) each_step(cut.trail, Sharing::apart);
    piece_ = std::max(piece_, chunk_bytes * gathered);
  }

  const EcgOptions& options_;
  const Surroundings& around_;
  std::uint64_t number_;
  std::uint64_t written_ = 0;
  std::uint64_t piece_ = 0;  // bytes of its longest requests
  RankSteps rank_;
};

// The first rank and the last have one neighbour; those between are taken to be as the one in the middle.
std::vector<RankGroup> heart_ranks(const EcgOptions& options, const Surroundings& around,
                                   const std::vector<FieldSpec>& fields, std::uint64_t nodes, std::uint64_t steps) {
  std::vector<RankGroup> groups;
  const auto add = [&](std::uint64_t ranks, std::uint64_t number) {
    HeartRank rank(options, around, number);
    rank.begin(mesh_bytes(options, nodes));
    for (const FieldSpec& field : fields) rank.field(field, steps);
    groups.push_back({ranks, rank.end()});
  };
  add(1, 0);
  if (around.ranks > 2) add(around.ranks - 2, around.ranks / 2);
  if (around.ranks > 1) add(1, around.ranks - 1);
  return groups;
}

// The call of each rank that has a box of a field's steps [0, steps) to write, cut as the strategy cuts it
// (src/weft/series/mpi_collective_strategy.cpp).
std::optional<Requests> collective_call(const FieldSpec& spec, const Shape& chunk, std::uint64_t steps,
                                        std::uint64_t memory_steps, std::uint64_t ranks, std::uint64_t align_bytes) {
  ChunkedArray array{.extents = spec.per_step,
                     .chunk = chunk,
                     .element_bytes = size_of(spec.type),
                     .pitch_bytes = pitch_of_chunks(spec, chunk, align_bytes)};
  array.extents.insert(array.extents.begin(), std::max(steps, chunk[0]));
  std::vector<std::vector<Box>> parts;
  std::vector<Shape> memory;
  std::size_t calls = 0;
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    const partition::Block block =
        partition::even_block(spec.per_step[0], static_cast<int>(rank), static_cast<int>(ranks));
    Shape count = spec.per_step;
    count[0] = block.count;
    count.insert(count.begin(), steps);
    parts.push_back(series::call_parts(count, array.element_bytes, series::CollectiveOptions{}.call_limit_bytes));
    for (Box& part : parts.back()) part.start[1] += block.first;
    calls = std::max(calls, parts.back().size());
    memory.push_back(count);
    memory.back()[0] = memory_steps;
  }
  Requests sum;
  for (std::size_t call = 0; call < calls; ++call) {
    std::vector<Box> boxes;
    boxes.reserve(parts.size());
    for (const std::vector<Box>& of_rank : parts) {
      boxes.push_back(call < of_rank.size() ? of_rank[call]
                                            : Box{Shape(array.extents.size()), Shape(array.extents.size())});
    }
    const std::optional<Requests> requests = written_together(array, boxes, memory);
    if (!requests) return std::nullopt;
    sum.add(*requests);
  }
  return sum;
}

// Of a collective strategy. Commits between, and what resumes, cut other calls.
std::optional<Requests> collective_requests(const EcgOptions& options, const Surroundings& around,
                                            const std::vector<FieldSpec>& fields, std::uint64_t nodes,
                                            std::uint64_t steps) {
  if (options.ownership != "blocks" || options.unknown_steps || !options.mpi.hints.empty() || around.nodes() > 1) {
    return std::nullopt;
  }
  Requests sum = mesh_requests(options, around, nodes);
  std::vector<std::uint64_t> gathers;  // steps, of each field
  for (const FieldSpec& field : fields) {
    const Shape chunk =
        series::choose_layout(field, 1, steps, static_cast<int>(around.ranks), options.align_bytes).chunk;
    const std::uint64_t gathered = options.mpi.strategy == Strategy::cached ? chunk[0] : 1;
    for (const auto& [of_call, calls] : {std::pair{gathered, steps / gathered}, {steps % gathered, std::uint64_t{1}}}) {
      if (of_call * calls == 0) continue;
      const std::optional<Requests> call =
          collective_call(field, chunk, of_call, gathered, around.ranks, options.align_bytes);
      if (!call) return std::nullopt;
      sum.add(*call, static_cast<double>(calls));
    }
    gathers.push_back(gathered);
  }
  // A step is committed when all fields have it: their times are written, and the slot is raised.
  std::uint64_t commits = 0;
  for (std::uint64_t end = 1, committed = 0; end <= steps; ++end) {
    std::uint64_t all = steps;
    for (const std::uint64_t gathered : gathers) all = std::min(all, end == steps ? steps : end / gathered * gathered);
    if (all == committed) continue;
    sum.add({1, static_cast<double>((all - committed) * sizeof(double))});
    committed = all;
    ++commits;
  }
  const Sync sync = options.writer.sync;
  const std::uint64_t durable = sync == Sync::window ? commits : sync == Sync::commit ? 1 : 0;
  sum.add(requests_of_state(std::vector<std::uint64_t>(around.ranks), std::vector<bool>(around.ranks, true),
                            options.writer.commit_groups, commits, durable));
  return sum;
}

// What comes after a run as the paper's code does it (kernels/ecg/afterwards.hpp). Each phase finds the store's bytes
// once; what it reads again is in the client's memory.
class AfterwardsRank {
 public:
  AfterwardsRank(const EcgOptions& options, const Surroundings& around, std::uint64_t steps)
      : around_(around),
        cache_bytes_(options.afterwards->cache_bytes),
        keeps_(options.afterwards->keep),
        steps_(steps) {}

  // Step after step: values of the rank's nodes.
  void snapshots(const FieldSpec& spec, const Shape& chunk) {
    const Part part = part_of(spec, chunk);
    if (part.chunk_bytes > cache_bytes_) {
      const double rows = std::max(1.0, static_cast<double>(part.nodes) / static_cast<double>(chunk[1]));
      rank_.read(kConversion, Sharing::apart, std::min(chunk[1], part.nodes) * part.node_bytes, steps() * rows);
    } else {
      const bool stay = part.chunks * static_cast<double>(part.chunk_bytes) <= static_cast<double>(cache_bytes_);
      const auto along = static_cast<double>(ceil_div(steps_, chunk[0]));
      rank_.read(kConversion, Sharing::apart, part.chunk_bytes, part.chunks * along);
      if (!stay) rank_.read_memory(kConversion, part.chunk_bytes, part.chunks * (steps() - along));
    }
    values_ += part.nodes * part.node_bytes;
  }

  // A file a step and rank, with the rank's part of the mesh; another that names them all.
  void end_conversion(std::uint64_t mesh_bytes) {
    const double files = steps() * (1 + 1 / static_cast<double>(around_.ranks));
    const std::uint64_t bytes = values_ + mesh_bytes / around_.ranks;
    const std::uint64_t request = std::min(bytes, around_.most_request_bytes);
    rank_.call(kConversion, "create", files);
    rank_.write(kConversion, Sharing::own_files, request,
                steps() * static_cast<double>(bytes) / static_cast<double>(request));
    if (!keeps_) rank_.call(kConversion, "remove", files);
    rank_.meet(kConversion);
  }

  // Node after node: one value of it at all times.
  std::vector<Step> traces(const FieldSpec& spec, const Shape& chunk) {
    const Part part = part_of(spec, chunk);
    const std::uint64_t along = ceil_div(steps_, chunk[0]);
    const auto nodes = static_cast<double>(part.nodes);
    if (part.chunk_bytes > cache_bytes_) {
      // A page of each step has the values of the next nodes, too, and stays in the client's memory.
      const double pages = steps() * static_cast<double>(ceil_div(part.nodes * part.node_bytes, kPage));
      rank_.read(kPostProcessing, Sharing::apart, kPage, std::min(pages, nodes * steps()));
      rank_.read_memory(kPostProcessing, size_of(spec.type), nodes * steps());
    } else {
      const bool stay = along * part.chunk_bytes <= cache_bytes_;
      const auto along_all = static_cast<double>(along);
      rank_.read(kPostProcessing, Sharing::apart, part.chunk_bytes, along_all * part.chunks);
      if (!stay) rank_.read_memory(kPostProcessing, part.chunk_bytes, along_all * (nodes - part.chunks));
    }
    rank_.meet(kPostProcessing);
    return rank_.steps();
  }

 private:
  static constexpr std::uint64_t kPage = 4096;
  static constexpr const char* kConversion = "conversion";
  static constexpr const char* kPostProcessing = "post_processing";

  struct Part {
    std::uint64_t nodes;
    std::uint64_t node_bytes;
    std::uint64_t chunk_bytes;
    double chunks;  // that a step of the rank's nodes lies in: one more where its borders are not the chunks'
  };
  Part part_of(const FieldSpec& spec, const Shape& chunk) const {
    const std::uint64_t nodes = ceil_div(spec.per_step[0], around_.ranks);
    const auto tiles = static_cast<double>(ceil_div(spec.per_step[0], chunk[1]));
    const double in_step = static_cast<double>(nodes) / static_cast<double>(chunk[1]);
    return {nodes, element_count(spec.per_step) / spec.per_step[0] * size_of(spec.type),
            element_count(chunk) * size_of(spec.type), around_.ranks > 1 ? std::min(in_step + 1, tiles) : tiles};
  }
  double steps() const { return static_cast<double>(steps_); }

  const Surroundings& around_;
  std::uint64_t cache_bytes_;
  bool keeps_;
  std::uint64_t steps_;
  std::uint64_t values_ = 0;  // bytes of a step, of this rank
  RankSteps rank_;
};

// Nothing where nothing is done afterwards.
std::vector<RankGroup> afterwards_of(const EcgOptions& options, const Surroundings& around,
                                     const std::vector<FieldSpec>& fields, std::uint64_t nodes, std::uint64_t steps) {
  if (!options.afterwards) return {};
  AfterwardsRank rank(options, around, steps);
  const auto chunk = [&](const FieldSpec& spec) {
    return series::choose_layout(spec, 1, steps, static_cast<int>(around.ranks), options.align_bytes).chunk;
  };
  for (const FieldSpec& field : fields) rank.snapshots(field, chunk(field));
  rank.end_conversion(mesh_bytes(options, nodes));
  return {{around.ranks, rank.traces(fields.front(), chunk(fields.front()))}};
}

}  // namespace

Workload work_of(const EcgOptions& options, const Surroundings& around) {
  const kernels::KernelPlan plan = plan_ecg(options, around.ranks);
  Workload work{.kernel = plan.kernel, .strategy = plan.strategy, .ranks = around.ranks, .bytes = plan.file_bytes};
  const auto [planned, nodes, steps] = kernels::ecg::planned_steps(options);
  std::vector<FieldSpec> fields;
  fields.reserve(planned.size());
  for (const kernels::ecg::SourceField& field : planned) fields.push_back(field_spec(field, options));
  if (options.source == "replay") work.leaves_out.emplace_back("the file's mesh, if it has one");
  if (!options.filters.empty()) work.leaves_out.emplace_back("filtering the chunks, and that they become smaller");
  work.afterwards = afterwards_of(options, around, fields, nodes, steps);
  if (!work.afterwards.empty()) work.leaves_out.emplace_back("what converting and making maps computes");
  if (options.ownership != "blocks") {
    work.leaves_out.push_back("that nodes are dealt " + options.ownership + ": blocks are assumed");
  }
  if (options.unknown_steps)
    work.leaves_out.emplace_back("that the file grows: as many steps as are written are assumed");
  if (options.writer.commit_steps > 0) work.leaves_out.emplace_back("commits after so many steps (--commit-every)");
  if (options.reduction) work.leaves_out.emplace_back("maps that are made during the run (--reduce)");
  if (options.source != "synthetic" && options.writer.commit_seconds > 0) {
    work.leaves_out.emplace_back(
        "commits by the clock (--commit-every): it is not known how long the steps' source takes");
  }
  if (options.mpi.strategy != Strategy::owner) {
    work.clock_seconds = clock_seconds(options.writer.commit_seconds);
    say_alignment(around.aligns, options.align_bytes, work);
    work.groups = heart_ranks(options, around, fields, nodes, steps);
    work.at_store = collective_requests(options, around, fields, nodes, steps);
    return work;
  }
  SeriesShape shape = shape_on(around);
  shape.fields = fields;
  shape.steps = steps;
  shape.budget_bytes = options.writer.budget_bytes;
  shape.align_bytes = options.align_bytes;
  if (options.writer.direct == DirectWrites::always) shape.direct_from_bytes = 0;
  if (options.writer.direct == DirectWrites::never) shape.direct_from_bytes = UINT64_MAX;
  shape.mesh_bytes = mesh_bytes(options, nodes);
  shape.mesh_requests = mesh_requests(options, around, nodes);
  shape.commit_groups = options.writer.commit_groups;
  shape.commit_seconds = options.writer.commit_seconds;
  shape.syncs_windows = options.writer.sync == Sync::window;
  shape.syncs = options.writer.sync != Sync::none;
  shape.writers = options.writer.writers;
  if (options.ownership == "blocks") {
    shape.owned = [ranks = static_cast<int>(around.ranks)](const FieldSpec& field, std::uint64_t rank) {
      Box box = whole(field.per_step);
      const partition::Block block = partition::even_block(field.per_step[0], static_cast<int>(rank), ranks);
      box.start[0] = block.first;
      box.count[0] = block.count;
      return box;
    };
  }
  write_series(shape, around.rates, 1, work);
  return work;
}

std::pair<std::vector<std::pair<std::string, double>>, double> reads_of(const EcgOptions& options,
                                                                        const Surroundings& around) {
  const auto [fields, nodes, steps] = kernels::ecg::planned_steps(options);
  SeriesShape shape = shape_on(around);
  for (const kernels::ecg::SourceField& field : fields) shape.fields.push_back(field_spec(field, options));
  shape.steps = steps;
  shape.align_bytes = options.align_bytes;
  return reads_of(shape);
}

}  // namespace weft::predict
