#include "weft/layout/reads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>

#include "weft/support/error.hpp"

namespace weft::layout {

namespace {

constexpr std::string_view known_reads = "snapshot, trace, block, plane, plane:AXIS and box[START:STOP,...]";

Error bad_read(std::string_view read, std::string_view what, std::string_view remedy) {
  return {ErrorKind::usage, fmt::format("read '{}'", read), what, remedy};
}

// The parts between commas, those inside brackets left alone: "trace,box[0:2,7]" -> "trace", "box[0:2,7]".
std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '[') ++depth;
    if (text[at] == ']') --depth;
    if (text[at] == ',' && depth == 0) {
      parts.push_back(text.substr(begin, at - begin));
      begin = at + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// Never in the last chunk along an axis of several, unless that one is full too: where an axis has 2 chunks the first
// holds at least half of it.
std::uint64_t middle_of(std::uint64_t extent) { return (extent - 1) / 2; }

void take_one(Box& box, std::size_t axis) {
  box.start[axis] = middle_of(box.count[axis]);
  box.count[axis] = 1;
}

Box trace_box(const Shape& shape, const Axes& axes) {
  Box box = whole(shape);
  for (const std::size_t axis : spatial_axes(axes)) take_one(box, axis);
  return box;
}

Box block_box(std::string_view read, const Shape& shape, const Axes& axes, std::uint64_t ranks) {
  const std::vector<std::size_t> spatial = spatial_axes(axes);
  if (spatial.empty()) throw bad_read(read, "the dataset has no spatial axis", "leave it out");
  if (ranks == 0) throw bad_read(read, "the number of ranks is not known", "pass --ranks");
  const std::size_t axis = spatial.front();
  const std::uint64_t share = ceil_div(shape[axis], ranks);
  Box box = whole(shape);
  box.start[axis] = middle_of(ceil_div(shape[axis], share)) * share;  // of the ranks that own something
  box.count[axis] = std::min(share, shape[axis] - box.start[axis]);
  return box;
}

Box plane_box(std::string_view read, const Shape& shape, const Axes& axes) {
  const std::vector<std::size_t> spatial = spatial_axes(axes);
  if (spatial.size() < 2) {
    throw bad_read(read, "a plane needs two spatial axes or more", "name them, as in --axes step,z,y,x");
  }
  std::size_t across = spatial.back();
  if (const std::size_t colon = read.find(':'); colon != std::string_view::npos) {
    const auto named = std::ranges::find(spatial, read.substr(colon + 1),
                                         [&](std::size_t axis) { return std::string_view(axes[axis].name); });
    if (named == spatial.end()) {
      throw bad_read(read, "names no spatial axis", fmt::format("the axes are {}", axis_names(axes)));
    }
    across = *named;
  }
  Box box = snapshot_box(shape, axes);
  take_one(box, across);
  return box;
}

std::optional<std::uint64_t> parse_index(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Box explicit_box(std::string_view read, const Shape& shape) {
  constexpr std::string_view opening = "box[";
  const auto bad = [&](std::string_view what) {
    return bad_read(read, what, "write START:STOP, an index or : for each axis, as in box[0:151,100:200,:]");
  };
  if (!read.ends_with(']')) throw bad("the bracket is not closed");
  const auto ranges = split_at_commas(read.substr(opening.size(), read.size() - opening.size() - 1));
  if (ranges.size() != shape.size()) {
    throw bad(fmt::format("{} ranges for a dataset of {} axes", ranges.size(), shape.size()));
  }
  Box box = whole(shape);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::string_view range = ranges[axis];
    if (range == ":") continue;
    const std::size_t colon = range.find(':');
    const auto start = parse_index(range.substr(0, colon));
    const auto stop = colon == std::string_view::npos ? start : parse_index(range.substr(colon + 1));
    if (!start || !stop) throw bad(fmt::format("'{}' is not a range", range));
    const std::uint64_t count = *stop - *start + (colon == std::string_view::npos ? 1 : 0);
    if (*stop < *start || count == 0) throw bad(fmt::format("'{}' is empty", range));
    if (*start >= shape[axis] || count > shape[axis] - *start) {
      throw bad(fmt::format("'{}' reaches beyond the {} of axis {}", range, shape[axis], axis));
    }
    box.start[axis] = *start;
    box.count[axis] = count;
  }
  return box;
}

Box box_of(std::string_view read, const Shape& shape, const Axes& axes, std::uint64_t ranks) {
  if (read == "snapshot") return snapshot_box(shape, axes);
  if (read == "trace") return trace_box(shape, axes);
  if (read == "block") return block_box(read, shape, axes, ranks);
  if (read == "plane" || read.starts_with("plane:")) return plane_box(read, shape, axes);
  if (read.starts_with("box[")) return explicit_box(read, shape);
  throw bad_read(read, "is not known", fmt::format("the reads are {}", known_reads));
}

double parse_weight(std::string_view part, std::string_view text) {
  double weight = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(weight) || weight <= 0) {
    throw bad_read(part, "the weight is not a number above zero", "write it as in trace=4");
  }
  return weight;
}

}  // namespace

Box snapshot_box(const Shape& shape, const Axes& axes) {
  Box box = whole(shape);
  take_one(box, step_axis(axes));
  return box;
}

std::vector<NamedRead> parse_reads(std::string_view text, const Shape& shape, const Axes& axes, std::uint64_t ranks) {
  std::vector<NamedRead> reads;
  for (const std::string_view part : split_at_commas(text)) {
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    const double weight = equals == std::string_view::npos ? 1 : parse_weight(part, part.substr(equals + 1));
    if (std::ranges::count(reads, name, &NamedRead::name) > 0) {
      throw bad_read(name, "occurs twice", "give it one weight");
    }
    reads.push_back({std::string(name), weight, box_of(name, shape, axes, ranks)});
  }
  return reads;
}

}  // namespace weft::layout
