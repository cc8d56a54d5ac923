#include "predict/series_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "weft/partition/move_plan.hpp"
#include "weft/series/field_layout.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/data_type.hpp"
#include "weft/support/error.hpp"

namespace weft::predict {

namespace {

constexpr std::uint64_t kMostMeetings = 20'000'000;  // of a rank's box and a tile: half a GB

struct Meeting {
  std::uint64_t tile;
  int rank;
  std::uint64_t elements;
  std::uint64_t pieces;  // stretches of the rank's memory that are stretches of the tile
};

// The tiles of one step that a box meets, along one axis.
struct Span {
  std::uint64_t first;
  std::uint64_t count;
};

Span tiles_along(std::uint64_t start, std::uint64_t count, std::uint64_t tile) {
  if (count == 0) return {0, 0};
  return {start / tile, (start + count - 1) / tile - start / tile + 1};
}

// A step's array of numbers has one element.
Shape or_one(const Shape& shape) { return shape.empty() ? Shape{1} : shape; }

class FieldMeetings {
 public:
  FieldMeetings(const Shape& per_step, const Shape& tile) : per_step_(or_one(per_step)), tile_(or_one(tile)) {}

  std::uint64_t count(const Box& box) const {
    std::uint64_t meetings = 1;
    for (std::size_t axis = 0; axis < tile_.size(); ++axis) {
      meetings *= tiles_along(box.start[axis], box.count[axis], tile_[axis]).count;
    }
    return meetings;
  }

  void add(int rank, const Box& box, std::vector<Meeting>& meetings) const {
    const std::uint64_t here = count(box);
    for (std::uint64_t number = 0; number < here; ++number) {
      Meeting meeting{0, rank, 1, 1};
      std::uint64_t rest = number;
      std::uint64_t stride = 1;
      bool is_row = true;  // along the axes behind
      for (std::size_t axis = tile_.size(); axis-- > 0;) {
        const Span span = tiles_along(box.start[axis], box.count[axis], tile_[axis]);
        const std::uint64_t place = span.first + rest % span.count;
        rest /= span.count;
        const std::uint64_t begin = std::max(box.start[axis], place * tile_[axis]);
        const std::uint64_t extent = std::min(box.start[axis] + box.count[axis], (place + 1) * tile_[axis]) - begin;
        meeting.elements *= extent;
        if (!is_row) meeting.pieces *= extent;
        is_row = is_row && extent == tile_[axis] && extent == box.count[axis];
        meeting.tile += place * stride;
        stride *= ceil_div(per_step_[axis], tile_[axis]);
      }
      meetings.push_back(meeting);
    }
  }

 private:
  Shape per_step_;
  Shape tile_;
};

// What a rank's part of one plan takes (partition::MovePlan::memory_bytes).
class PlanBytes {
 public:
  explicit PlanBytes(std::uint64_t ranks) : bytes_(ranks) {}

  void tile(int owner) { at(owner) += sizeof(std::uint64_t); }
  void stays(int owner, std::uint64_t pieces) { at(owner) += pieces * sizeof(partition::Copy); }
  void travels(int from, int to, std::uint64_t pieces) {
    at(from) += pieces * sizeof(partition::Taken);
    at(to) += pieces * sizeof(partition::Placed);
    if (!messages_.insert(pair_of(from, to)).second) return;
    at(from) += sizeof(partition::Outbound);
    at(to) += sizeof(partition::Inbound);
  }
  const std::vector<std::uint64_t>& of_ranks() const { return bytes_; }
  const std::unordered_set<std::uint64_t>& messages() const { return messages_; }

 private:
  static std::uint64_t pair_of(int from, int to) {
    return static_cast<std::uint64_t>(from) << 32U | static_cast<std::uint64_t>(to);
  }
  std::uint64_t& at(int rank) { return bytes_[static_cast<std::size_t>(rank)]; }

  std::vector<std::uint64_t> bytes_;
  std::unordered_set<std::uint64_t> messages_;  // sender and receiver
};

// Adds a tile to those of a rank, which come in their order.
class TileRuns {
 public:
  explicit TileRuns(std::uint64_t ranks) : runs_(ranks), next_(ranks, UINT64_MAX) {}
  void add(int owner, std::uint64_t tile) {
    const auto rank = static_cast<std::size_t>(owner);
    if (next_[rank] != tile) runs_[rank].push_back(0);
    ++runs_[rank].back();
    next_[rank] = tile + 1;
  }
  std::vector<std::vector<std::uint64_t>> take() { return std::move(runs_); }

 private:
  std::vector<std::vector<std::uint64_t>> runs_;
  std::vector<std::uint64_t> next_;
};

Shape tile_of(const FieldSpec& field, const SeriesShape& shape) {
  const Shape chunk =
      series::choose_layout(field, shape.place_axes, shape.steps, static_cast<int>(shape.ranks), shape.align_bytes)
          .chunk;
  return {chunk.begin() + 1, chunk.end()};
}

// Fields that are cut and dealt alike have one plan.
bool has_plan_of_another(const SeriesShape& shape, std::size_t field) {
  const FieldSpec& mine = shape.fields[field];
  const auto is_alike = [&](const FieldSpec& other) {
    if (other.per_step != mine.per_step || tile_of(other, shape) != tile_of(mine, shape)) return false;
    for (std::uint64_t rank = 0; rank < shape.ranks; ++rank) {
      const Box box = shape.owned(mine, rank);
      const Box of_other = shape.owned(other, rank);
      if (box.start != of_other.start || box.count != of_other.count) return false;
    }
    return true;
  };
  const auto here = shape.fields.begin() + static_cast<std::ptrdiff_t>(field);
  return std::any_of(shape.fields.begin(), here, is_alike);
}

}  // namespace

std::uint64_t WindowMessages::steps_that_fit(std::uint64_t budget_bytes, std::uint64_t chunk_steps) const {
  std::uint64_t fitting = chunk_steps;
  std::uint64_t least = 0;
  for (std::size_t rank = 0; rank < needs.size(); ++rank) {
    const std::uint64_t left = budget_bytes - std::min(budget_bytes, plan_bytes[rank]);
    fitting = std::min(fitting, series::steps_that_fit(needs[rank], left, chunk_steps));
    least = std::max(least, series::least_budget(needs[rank]) + plan_bytes[rank]);
  }
  if (fitting > 0) return fitting;
  throw Error(ErrorKind::usage, "series",
              fmt::format("a budget of {} a rank does not hold one step twice", format_bytes(budget_bytes)),
              fmt::format("give at least --budget {}", least));
}

std::optional<WindowMessages> window_messages(const SeriesShape& shape, const partition::Writers& writers) {
  if (!shape.owned) return std::nullopt;
  WindowMessages messages;
  messages.needs.resize(shape.ranks);
  messages.plan_bytes.resize(shape.ranks);
  messages.owners.resize(shape.ranks);
  std::unordered_set<std::uint64_t> pairs;
  const auto needs_of = [&](int rank) -> series::WindowNeeds& {
    return messages.needs[static_cast<std::size_t>(rank)];
  };
  const auto add_plan = [&](const PlanBytes& plan) {
    for (std::size_t rank = 0; rank < shape.ranks; ++rank) messages.plan_bytes[rank] += plan.of_ranks()[rank];
  };
  const auto travels = [&](PlanBytes& plan, int from, int to, std::uint64_t pieces, std::uint64_t bytes) {
    plan.travels(from, to, pieces);
    for (const int rank : {from, to}) needs_of(rank).mail_bytes_per_step += bytes;
    messages.step_bytes += bytes;
  };
  {
    // Rank 0 has the steps' times: one tile of one number.
    PlanBytes plan(shape.ranks);
    const partition::Holder holder{0, 1};
    const int owner = partition::owner_of(0, 1, 1, {&holder, 1}, writers, partition::OwnerRule::majority);
    plan.tile(owner);
    needs_of(owner).tile_bytes_per_step += sizeof(double);
    messages.owners[static_cast<std::size_t>(owner)] = true;
    if (owner == 0) {
      plan.stays(owner, 1);
    } else {
      travels(plan, 0, owner, 1, sizeof(double));
    }
    pairs.insert(plan.messages().begin(), plan.messages().end());
    add_plan(plan);
  }
  for (std::size_t f = 0; f < shape.fields.size(); ++f) {
    const FieldSpec& field = shape.fields[f];
    const Shape tile = tile_of(field, shape);
    const FieldMeetings field_meetings(field.per_step, tile);
    std::uint64_t all = 0;
    for (std::uint64_t rank = 0; rank < shape.ranks; ++rank) all += field_meetings.count(shape.owned(field, rank));
    if (all > kMostMeetings) return std::nullopt;
    std::vector<Meeting> meetings;
    meetings.reserve(all);
    for (std::uint64_t rank = 0; rank < shape.ranks; ++rank) {
      field_meetings.add(static_cast<int>(rank), shape.owned(field, rank), meetings);
    }
    std::ranges::stable_sort(meetings, {}, &Meeting::tile);
    const partition::TileGrid grid(field.per_step, tile);
    std::vector<partition::Holder> holders;
    PlanBytes plan(shape.ranks);
    TileRuns runs(shape.ranks);
    for (auto first = meetings.begin(); first != meetings.end();) {
      holders.clear();
      const auto end = std::find_if(first, meetings.end(), [&](const Meeting& of) { return of.tile != first->tile; });
      for (auto meeting = first; meeting != end; ++meeting) holders.push_back({meeting->rank, meeting->elements});
      const int owner = partition::owner_of(first->tile, grid.tiles(), grid.valid_elements(first->tile), holders,
                                            writers, partition::OwnerRule::majority);
      needs_of(owner).tile_bytes_per_step += grid.tile_elements() * size_of(field.type);
      messages.owners[static_cast<std::size_t>(owner)] = true;
      plan.tile(owner);
      runs.add(owner, first->tile);
      for (auto meeting = first; meeting != end; ++meeting) {
        if (meeting->rank == owner) {
          plan.stays(owner, meeting->pieces);
        } else {
          travels(plan, meeting->rank, owner, meeting->pieces, meeting->elements * size_of(field.type));
        }
      }
      first = end;
    }
    pairs.insert(plan.messages().begin(), plan.messages().end());
    if (!has_plan_of_another(shape, f)) add_plan(plan);
    messages.tile_runs.push_back(runs.take());
  }
  messages.count = pairs.size();
  return messages;
}

}  // namespace weft::predict
