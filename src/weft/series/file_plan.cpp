#include "weft/series/file_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "weft/partition/move_plan.hpp"
#include "weft/series/field_layout.hpp"
#include "weft/storage/bit_rounding.hpp"
#include "weft/storage/file_system.hpp"
#include "weft/support/error.hpp"

namespace weft::series {

namespace {

constexpr std::uint64_t kFirstSegmentSteps = 64;  // of a series of unknown length, or a chunk's steps if they are more
constexpr std::uint64_t kAssumedSteps = 1024;     // what the layout of a series of unknown length is designed for

// This rank's node numbers are those of its rows: the field stands on the first nodes.
bool counts_from_zero(const FieldSpec& field) {
  const std::uint64_t row = row_elements(field.per_step);
  for (const partition::Run& run : field.owned.runs()) {
    for (std::uint64_t i = 0; i < run.length / row; ++i) {
      if ((*field.subset)[run.local / row + i] != run.global / row + i) return false;
    }
  }
  return true;
}

}  // namespace

std::uint64_t row_elements(const Shape& per_step) {
  std::uint64_t row = 1;
  for (std::size_t i = 1; i < per_step.size(); ++i) row *= per_step[i];
  return row;
}

std::size_t node_axes_of(const FieldSpec& field, const storage::RegularGrid& grid) {
  const std::size_t on_grid = storage::node_axes_of(field.per_step, field.support, grid);
  return on_grid == 0 ? 0 : field.node_axes.value_or(on_grid);
}

std::vector<storage::Subset> subsets_of(Communicator& comm, const std::vector<FieldSpec>& fields) {
  std::vector<storage::Subset> subsets;
  for (const FieldSpec& field : fields) {
    const bool any = comm.max(field.subset ? 1 : 0) == 1;
    const bool first = any && comm.min(!field.subset || counts_from_zero(field) ? 1 : 0) == 1;
    subsets.push_back(!any ? storage::Subset::all : first ? storage::Subset::first : storage::Subset::listed);
    agree_on(comm, [&] {
      if (!any || field.subset || field.owned.owned_elements() == 0) return;
      throw Error(ErrorKind::usage, "field " + field.name,
                  "this rank has rows, and other ranks say which nodes theirs are", "give its subset on every rank");
    });
  }
  return subsets;
}

FilteredWindow filtered_window(Communicator& comm, const SeriesSpec& spec) {
  std::uint64_t step_bytes = 0;  // on this rank
  std::uint64_t runs = 0;        // of the most scattered field; fields that are dealt alike share its plan
  bool in_blocks = true;
  bool any = false;
  for (const FieldSpec& field : spec.fields) {
    step_bytes += field.owned.owned_elements() * size_of(field.type);
    if (field.support == Support::global) continue;
    in_blocks = in_blocks && field.owned.as_box();
    if (!field.owned.as_box()) runs = std::max<std::uint64_t>(runs, field.owned.runs().size());
    any = any || !field.filters.empty();
  }
  if (comm.max(any ? 1 : 0) == 0) return {};
  constexpr double kWindows = 3;  // one fills, one is filtered, and one is filtered already
  // Blocks meet within chunks at their edges alone; of scattered nodes nearly all go to another rank, through an outbox
  // and an inbox.
  const double mail = comm.size() == 1 ? 0.1 : comm.max(in_blocks ? 0 : 1) == 0 ? 0.5 : 2;
  const std::uint64_t most = comm.max(step_bytes);
  constexpr std::uint64_t kPlanBytes = sizeof(partition::Copy) + sizeof(partition::Placed);  // at most, for each run
  const std::uint64_t used = spec.options.budget_used + comm.max(runs) * kPlanBytes;
  const std::uint64_t budget =
      (spec.options.budget_bytes - std::min(spec.options.budget_bytes, used)) / (spec.observers.empty() ? 1 : 2);
  return {static_cast<std::uint64_t>(static_cast<double>(budget) / (kWindows + mail)), most};
}

namespace {

// The chosen chunk with other steps: what it gets less of them, it gets more of nodes.
FieldLayout filtered_layout(FieldSpec field, std::size_t places, std::uint64_t chunk_steps, std::uint64_t steps,
                            int ranks) {
  Shape chunk = choose_layout(field, places, steps, ranks, 0).chunk;
  std::uint64_t room = element_count(chunk) / chunk_steps;  // for a step of it
  chunk[0] = chunk_steps;
  for (std::size_t axis = chunk.size() - 1; axis > 0; --axis) room /= std::min(room, chunk[axis]);
  for (std::size_t axis = chunk.size() - 1; axis > 0 && room > 1; --axis) {
    const std::uint64_t extent = std::min(field.per_step[axis - 1], chunk[axis] * room);
    room /= ceil_div(extent, chunk[axis]);
    chunk[axis] = extent;
  }
  field.layout.kind = LayoutKind::given;
  field.layout.chunk = chunk;
  return choose_layout(field, places, steps, ranks, 0);
}

bool is_filtered(const FieldSpec& field) { return !field.filters.empty() && field.support != Support::global; }

// The bytes of a step in a rank's tiles, padded at their edges, where the filtered chunks have so many steps.
std::uint64_t tile_bytes(const SeriesSpec& spec, int ranks, std::uint64_t chunk_steps) {
  const std::uint64_t steps = spec.steps.value_or(kAssumedSteps);
  std::uint64_t bytes = 0;
  for (const FieldSpec& field : spec.fields) {
    const std::size_t places = node_axes_of(field, spec.grid);
    const Shape chunk = is_filtered(field) ? filtered_layout(field, places, chunk_steps, steps, ranks).chunk
                                           : choose_layout(field, places, steps, ranks, 0).chunk;
    std::uint64_t tiles = 1;
    for (std::size_t axis = 1; axis < chunk.size(); ++axis) tiles *= ceil_div(field.per_step[axis - 1], chunk[axis]);
    const std::uint64_t one = element_count({chunk.begin() + 1, chunk.end()}) * size_of(field.type);
    bytes += ceil_div(tiles, static_cast<std::uint64_t>(ranks)) * one;
  }
  return bytes;
}

// Chunks of fields that are filtered have as many steps each, so that every window holds them whole: those that are
// chosen for the field with the most bytes, or as many as fit.
std::uint64_t filtered_chunk_steps(const SeriesSpec& spec, int ranks, const FilteredWindow& window) {
  std::uint64_t chunk_steps = 0;
  std::uint64_t most = 0;
  for (const FieldSpec& field : spec.fields) {
    const std::uint64_t bytes = element_count(field.per_step) * size_of(field.type);
    if (!is_filtered(field) || bytes <= most) continue;
    most = bytes;
    chunk_steps =
        choose_layout(field, node_axes_of(field, spec.grid), spec.steps.value_or(kAssumedSteps), ranks, 0).chunk[0];
  }
  while (chunk_steps > 1) {
    const std::uint64_t step_bytes = std::max(window.step_bytes, tile_bytes(spec, ranks, chunk_steps));
    const std::uint64_t fitting = std::max<std::uint64_t>(1, window.bytes / std::max<std::uint64_t>(1, step_bytes));
    if (fitting >= chunk_steps) break;
    chunk_steps = std::min(fitting, chunk_steps - 1);
  }
  return chunk_steps;
}

void add_filter(const FieldSpec& spec, storage::FieldPlan& field) {
  const storage::Rounding rounding = storage::parse_rounding(spec.filters, spec.type);
  field.field.filter = rounding.filters;
  field.field.kept_bits = rounding.kept_bits;
  if (rounding.kept_bits == 0) return;
  field.attributes[storage::kKeptBits] = static_cast<std::int64_t>(rounding.kept_bits);
  field.attributes["largest_relative_error"] = storage::largest_relative_error(rounding.kept_bits);
}

}  // namespace

std::uint64_t alignment_at(const std::string& path, std::uint64_t asked) {
  const bool is_known = asked > 0 || path.empty();
  const std::uint64_t wanted = is_known ? asked : storage::file_system_of(path).alignment();
  return wanted > 1 ? wanted : 0;
}

std::uint64_t alignment_for(const FieldSpec& field, std::uint64_t asked, std::uint64_t align_bytes) {
  return asked > 1 || align_bytes <= field.layout.target_bytes ? align_bytes : 0;
}

storage::FilePlan plan_file(const SeriesSpec& spec, std::uint64_t align_bytes, int ranks,
                            std::vector<storage::FixedArrayPlan> fixed_arrays,
                            const std::vector<storage::Subset>& subsets, const FilteredWindow& window) {
  storage::FilePlan plan;
  plan.time_units = spec.time_units;
  plan.calendar = spec.calendar;
  plan.grid = spec.grid;
  plan.attributes = spec.attributes;
  plan.align_bytes = align_bytes;
  if (spec.steps == std::uint64_t{0}) {
    throw Error(ErrorKind::usage, "series", "a series of 0 steps",
                "give at least 1 step, or none for an unknown number");
  }
  std::uint64_t longest_chunk = 1;
  const std::uint64_t filtered_steps = filtered_chunk_steps(spec, ranks, window);
  for (const FieldSpec& field : spec.fields) {
    const bool filtered = is_filtered(field);
    const std::size_t node_axes = node_axes_of(field, spec.grid);
    const std::uint64_t steps = spec.steps.value_or(kAssumedSteps);
    const FieldLayout layout =
        filtered ? filtered_layout(field, node_axes, filtered_steps, steps, ranks)
                 : choose_layout(field, node_axes, steps, ranks, alignment_for(field, spec.align_bytes, align_bytes));
    if (field.support != Support::global) longest_chunk = std::max(longest_chunk, layout.chunk[0]);
    plan.fields.push_back({{field.name, field.type, field.per_step, field.support, field.units, layout.rationale,
                            field.components, subsets[plan.fields.size()]},
                           layout.chunk,
                           field.attributes});
    plan.fields.back().field.component_units = field.component_units;
    if (filtered) add_filter(field, plan.fields.back());
    const std::size_t places = node_axes_of(field, spec.grid);
    plan.fields.back().field.node_axes = places;
    if (places != storage::node_axes_of(field.per_step, field.support, spec.grid)) {
      plan.fields.back().attributes["weft_node_axes"] = static_cast<std::int64_t>(places);
    }
  }
  plan.segment_steps = spec.steps.value_or(ceil_div(kFirstSegmentSteps, longest_chunk) * longest_chunk);
  plan.fixed_arrays = std::move(fixed_arrays);
  return plan;
}

}  // namespace weft::series
