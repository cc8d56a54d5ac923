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
  std::uint64_t elements;
  int rank;
  std::uint32_t pieces;  // stretches of the rank's memory that are stretches of the tile
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
      Meeting meeting{.tile = 0, .elements = 1, .rank = rank, .pieces = 1};
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
        if (!is_row) meeting.pieces *= static_cast<std::uint32_t>(extent);
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

// Adds up what the fields' tiles make of each rank.
class Dealt {
 public:
  Dealt(std::uint64_t ranks, const partition::Writers& writers) : ranks_(ranks), writers_(writers) {
    all_.needs.resize(ranks);
    all_.plan_bytes.resize(ranks);
    all_.owners.resize(ranks);
  }

  // `meetings` in the order of the tiles.
  void field(const partition::TileGrid& grid, std::uint64_t element_bytes, const std::vector<Meeting>& meetings,
             bool has_plan_of_another) {
    PlanBytes plan(ranks_);
    std::vector<std::vector<std::uint64_t>> runs(ranks_);
    std::vector<std::uint64_t> next(ranks_, UINT64_MAX);  // the tile that makes each rank's last run longer
    std::vector<partition::Holder> holders;
    for (auto first = meetings.begin(); first != meetings.end();) {
      holders.clear();
      const auto end = std::find_if(first, meetings.end(), [&](const Meeting& of) { return of.tile != first->tile; });
      for (auto meeting = first; meeting != end; ++meeting) holders.push_back({meeting->rank, meeting->elements});
      const int owner = partition::owner_of(first->tile, grid.tiles(), grid.valid_elements(first->tile), holders,
                                            writers_, partition::OwnerRule::majority);
      const auto rank = static_cast<std::size_t>(owner);
      all_.needs[rank].tile_bytes_per_step += grid.tile_elements() * element_bytes;
      all_.owners[rank] = true;
      plan.tile(owner);
      if (next[rank] != first->tile) runs[rank].push_back(0);
      ++runs[rank].back();
      next[rank] = first->tile + 1;
      for (auto meeting = first; meeting != end; ++meeting) deal(*meeting, owner, element_bytes, plan);
      first = end;
    }
    pairs_.insert(plan.messages().begin(), plan.messages().end());
    for (std::size_t rank = 0; rank < ranks_ && !has_plan_of_another; ++rank) {
      all_.plan_bytes[rank] += plan.of_ranks()[rank];
    }
    all_.tile_runs.push_back(std::move(runs));
  }

  WindowMessages messages() {
    all_.count = pairs_.size();
    return std::move(all_);
  }

 private:
  void deal(const Meeting& meeting, int owner, std::uint64_t element_bytes, PlanBytes& plan) {
    if (meeting.rank == owner) {
      plan.stays(owner, meeting.pieces);
      return;
    }
    const std::uint64_t bytes = meeting.elements * element_bytes;
    plan.travels(meeting.rank, owner, meeting.pieces);
    for (const int rank : {meeting.rank, owner}) {
      all_.needs[static_cast<std::size_t>(rank)].mail_bytes_per_step += bytes;
    }
    all_.step_bytes += bytes;
  }

  std::uint64_t ranks_;
  const partition::Writers& writers_;
  std::unordered_set<std::uint64_t> pairs_;
  WindowMessages all_;
};

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
  Dealt dealt(shape.ranks, writers);
  // The steps' times: a number a step, which rank 0 has.
  std::vector<Meeting> meetings{{.tile = 0, .elements = 1, .rank = 0, .pieces = 1}};
  dealt.field(partition::TileGrid({}, {}), sizeof(double), meetings, false);
  for (std::size_t f = 0; f < shape.fields.size(); ++f) {
    const FieldSpec& field = shape.fields[f];
    const Shape tile = tile_of(field, shape);
    const FieldMeetings field_meetings(field.per_step, tile);
    std::uint64_t all = 0;
    for (std::uint64_t rank = 0; rank < shape.ranks; ++rank) all += field_meetings.count(shape.owned(field, rank));
    if (all > kMostMeetings) return std::nullopt;
    meetings.clear();
    meetings.reserve(all);
    for (std::uint64_t rank = 0; rank < shape.ranks; ++rank) {
      field_meetings.add(static_cast<int>(rank), shape.owned(field, rank), meetings);
    }
    std::ranges::stable_sort(meetings, {}, &Meeting::tile);
    dealt.field(partition::TileGrid(field.per_step, tile), size_of(field.type), meetings,
                has_plan_of_another(shape, f));
  }
  return dealt.messages();
}

}  // namespace weft::predict
