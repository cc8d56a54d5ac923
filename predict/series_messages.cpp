#include "predict/series_messages.hpp"

#include <algorithm>
#include <unordered_set>

#include "weft/partition/move_plan.hpp"
#include "weft/series/field_layout.hpp"
#include "weft/support/data_type.hpp"

namespace weft::predict {

namespace {

constexpr std::uint64_t kMostMeetings = 20'000'000;  // of a rank's box and a tile: half a GB

struct Meeting {
  std::uint64_t tile;
  int rank;
  std::uint64_t elements;
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
      Meeting meeting{0, rank, 1};
      std::uint64_t rest = number;
      std::uint64_t stride = 1;
      for (std::size_t axis = tile_.size(); axis-- > 0;) {
        const Span span = tiles_along(box.start[axis], box.count[axis], tile_[axis]);
        const std::uint64_t place = span.first + rest % span.count;
        rest /= span.count;
        const std::uint64_t begin = std::max(box.start[axis], place * tile_[axis]);
        meeting.elements *= std::min(box.start[axis] + box.count[axis], (place + 1) * tile_[axis]) - begin;
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

}  // namespace

std::optional<WindowMessages> window_messages(const SeriesShape& shape, const partition::Writers& writers) {
  if (!shape.owned) return std::nullopt;
  WindowMessages messages;
  std::unordered_set<std::uint64_t> pairs;  // sender and receiver
  std::vector<series::WindowNeeds> needs(shape.ranks);
  for (const FieldSpec& field : shape.fields) {
    const Shape chunk =
        series::choose_layout(field, shape.place_axes, shape.steps, static_cast<int>(shape.ranks), shape.align_bytes)
            .chunk;
    const Shape tile(chunk.begin() + 1, chunk.end());
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
    for (auto first = meetings.begin(); first != meetings.end();) {
      holders.clear();
      const auto end = std::find_if(first, meetings.end(), [&](const Meeting& of) { return of.tile != first->tile; });
      for (auto meeting = first; meeting != end; ++meeting) holders.push_back({meeting->rank, meeting->elements});
      const int owner = partition::owner_of(first->tile, grid.tiles(), grid.valid_elements(first->tile), holders,
                                            writers, partition::OwnerRule::majority);
      needs[static_cast<std::size_t>(owner)].tile_bytes_per_step += grid.tile_elements() * size_of(field.type);
      for (const partition::Holder& holder : holders) {
        if (holder.rank == owner) continue;
        for (const int rank : {holder.rank, owner}) {
          needs[static_cast<std::size_t>(rank)].mail_bytes_per_step += holder.elements * size_of(field.type);
        }
        messages.step_bytes += holder.elements * size_of(field.type);
        pairs.insert(static_cast<std::uint64_t>(holder.rank) << 32U | static_cast<std::uint64_t>(owner));
      }
      first = end;
    }
  }
  messages.count = pairs.size();
  for (const series::WindowNeeds& of_rank : needs) messages.owners.push_back(of_rank.tile_bytes_per_step > 0);
  messages.needs = *std::ranges::max_element(needs, {}, series::least_budget);
  return messages;
}

}  // namespace weft::predict
