#include "weft/partition/ownership.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/support/error.hpp"

namespace weft::partition {

namespace {

bool is_empty(const Box& box) {
  return std::any_of(box.count.begin(), box.count.end(), [](std::uint64_t extent) { return extent == 0; });
}

void check_inside(const Shape& outer_start, const Shape& outer_count, const Box& box, const Shape& shape) {
  bool inside = box.start.size() == outer_count.size() && box.count.size() == outer_count.size();
  for (std::size_t i = 0; inside && i < outer_count.size(); ++i) {
    inside = box.start[i] >= outer_start[i] && box.count[i] <= outer_count[i] &&
             box.start[i] - outer_start[i] <= outer_count[i] - box.count[i];
  }
  if (!inside) {
    throw Error(ErrorKind::usage, "ownership",
                fmt::format("a box of {} does not lie inside steps of {}", to_string(box.count), to_string(shape)),
                "give start and count along every axis, within the shape");
  }
}

}  // namespace

void Ownership::add_box(const Box& held, const Box& owned, std::uint64_t local_start) {
  if (is_empty(owned)) return;
  const std::size_t rank = shape_.size();
  if (rank == 0) {
    runs_.push_back({0, local_start, 1});
    return;
  }
  // Walk the rows (all axes but the last) of the owned box; each row is one run.
  Shape at(rank - 1, 0);
  while (true) {
    std::uint64_t global = 0;
    std::uint64_t local = 0;
    for (std::size_t i = 0; i < rank; ++i) {
      const std::uint64_t index = owned.start[i] + (i + 1 < rank ? at[i] : 0);
      global = global * shape_[i] + index;
      local = local * held.count[i] + (index - held.start[i]);
    }
    runs_.push_back({global, local_start + local, owned.count[rank - 1]});
    std::size_t axis = rank - 1;
    while (axis-- > 0) {
      if (++at[axis] < owned.count[axis]) break;
      at[axis] = 0;
    }
    if (axis == static_cast<std::size_t>(-1)) return;
  }
}

void Ownership::finish() {
  std::sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) { return a.global < b.global; });
  std::vector<Run> joined;
  for (const Run& run : runs_) {
    owned_elements_ += run.length;
    if (!joined.empty()) {
      Run& last = joined.back();
      if (run.global < last.global + last.length) {
        throw Error(ErrorKind::usage, "ownership", fmt::format("element {} of a step is named twice", run.global),
                    "name every node once on a rank");
      }
      if (run.global == last.global + last.length && run.local == last.local + last.length) {
        last.length += run.length;
        continue;
      }
    }
    joined.push_back(run);
  }
  runs_ = std::move(joined);
}

Ownership Ownership::box(const Shape& per_step, const Box& box) {
  Ownership result = box_with_ghosts(per_step, box, box);
  result.box_ = box;
  return result;
}

Ownership Ownership::boxes(const Shape& per_step, std::span<const Box> boxes) {
  Ownership result(per_step);
  for (const Box& box : boxes) {
    check_inside(Shape(per_step.size(), 0), per_step, box, per_step);
    result.add_box(box, box, result.local_elements_);
    result.local_elements_ += is_empty(box) ? 0 : element_count(box.count);
  }
  result.finish();
  if (boxes.size() == 1) result.box_ = boxes[0];
  return result;
}

Ownership Ownership::box_with_ghosts(const Shape& per_step, const Box& held, const Box& owned) {
  check_inside(Shape(per_step.size(), 0), per_step, held, per_step);
  check_inside(held.start, held.count, owned, held.count);
  Ownership result(per_step);
  result.local_elements_ = is_empty(held) ? 0 : element_count(held.count);
  result.add_box(held, owned, 0);
  result.finish();
  return result;
}

Ownership Ownership::nodes(const Shape& per_step, std::span<const std::uint64_t> ids,
                           std::span<const std::uint8_t> ghost) {
  if (per_step.empty()) throw Error(ErrorKind::usage, "ownership", "one number a step has no nodes", "use a node axis");
  if (!ghost.empty() && ghost.size() != ids.size()) {
    throw Error(ErrorKind::usage, "ownership", fmt::format("{} ghost marks for {} nodes", ghost.size(), ids.size()),
                "give one mark for each node, or none");
  }
  std::uint64_t row = 1;
  for (std::size_t i = 1; i < per_step.size(); ++i) row *= per_step[i];
  Ownership result(per_step);
  result.local_elements_ = ids.size() * row;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!ghost.empty() && ghost[i] != 0) continue;
    if (ids[i] >= per_step[0]) {
      throw Error(ErrorKind::usage, "ownership", fmt::format("node {} of {}", ids[i], per_step[0]),
                  "nodes are numbered from 0");
    }
    result.runs_.push_back({ids[i] * row, i * row, row});
  }
  result.finish();
  return result;
}

Ownership Ownership::none(const Shape& per_step) {
  Ownership result(per_step);
  result.box_ = Box{Shape(per_step.size(), 0), Shape(per_step.size(), 0)};
  return result;
}

Block even_block(std::uint64_t count, int rank, int ranks) {
  const auto r = static_cast<std::uint64_t>(rank);
  const auto n = static_cast<std::uint64_t>(ranks);
  const std::uint64_t base = count / n;
  const std::uint64_t extra = count % n;
  return {r * base + std::min(r, extra), base + (r < extra ? 1 : 0)};
}

int block_of(std::uint64_t place, std::uint64_t count, int blocks) {
  // The first `extra` blocks are longer by one.
  const auto n = static_cast<std::uint64_t>(blocks);
  const std::uint64_t base = count / n;
  const std::uint64_t extra = count % n;
  const std::uint64_t in_longer = extra * (base + 1);
  return static_cast<int>(place < in_longer ? place / (base + 1) : extra + (place - in_longer) / base);
}

Ownership even_nodes(const Shape& per_step, int rank, int ranks) {
  const Block block = even_block(per_step.at(0), rank, ranks);
  Box box = whole(per_step);
  box.start[0] = block.first;
  box.count[0] = block.count;
  return Ownership::box(per_step, box);
}

}  // namespace weft::partition
