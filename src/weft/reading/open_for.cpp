#include "weft/reading/open_for.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <utility>

#include "weft/support/error.hpp"
#include "weft/support/shell_word.hpp"

namespace weft::reading {

namespace {

Box box_of(const FieldRead& read, const SeriesReader& reader, const std::string& field) {
  const int choices = (read.trace ? 1 : 0) + (read.snapshot ? 1 : 0) + (read.box.empty() ? 0 : 1);
  if (choices != 1) {
    throw Error(ErrorKind::usage, {}, "needs exactly one of --trace, --snapshot and --box",
                fmt::format("try: weft read {} --field {} --trace 0", quoted(reader.path()), quoted(field)));
  }
  if (reader.committed() == 0) {
    throw Error(ErrorKind::data, reader.path(), fmt::format("none of its {} steps is committed yet", reader.steps()),
                "wait until the simulation has written a step");
  }
  if (read.trace) return reader.trace_box(field, *read.trace);
  if (read.snapshot) return reader.snapshot_box(field, *read.snapshot);
  Shape committed = reader.field(field).per_step;
  committed.insert(committed.begin(), reader.committed());
  Box box = parse_box(read.box, committed);
  reader.check_box(field, box);
  return box;
}

}  // namespace

OpenedRead open_for(const std::string& path, const std::string& field, const FieldRead& read, const CostWish& cost,
                    ReadOptions options) {
  // Until the field is known, nothing long is read.
  if (!cost.measure) options.access = layout::AccessCost{};
  OpenedRead opened{SeriesReader::open(path, std::move(options)), {}, {}};
  opened.field = opened.reader.chosen_field(field);
  opened.box = box_of(read, opened.reader, opened.field);
  layout::AccessCost access =
      cost.measure ? opened.reader.access_cost() : opened.reader.recorded_access_cost(opened.field);
  if (cost.latency_s) access.latency_s = *cost.latency_s;
  if (cost.bandwidth) access.bandwidth = *cost.bandwidth;
  opened.reader.use_access_cost(access);
  return opened;
}

Box parse_box(std::string_view text, const Shape& shape) {
  const auto bad = [&](std::string_view why) {
    return Error(ErrorKind::usage, fmt::format("box '{}'", text), why,
                 fmt::format("write FIRST:END for each axis of {} with commas between, as in 0:10,5:20; ':' is a whole "
                             "axis, one number a single index",
                             to_string(shape)));
  };
  const auto parse = [&](std::string_view number, std::uint64_t fallback) {
    if (number.empty()) return fallback;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc{} || end != number.data() + number.size()) throw bad("is not a box");
    return value;
  };
  Box box;
  std::string_view rest = text;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::size_t comma = rest.find(',');
    if ((comma == std::string_view::npos) != (axis + 1 == shape.size())) throw bad("has another number of axes");
    const std::string_view part = rest.substr(0, comma);
    if (comma != std::string_view::npos) rest.remove_prefix(comma + 1);
    const std::size_t colon = part.find(':');
    if (part.empty()) throw bad("has an empty axis");
    const std::uint64_t first = parse(part.substr(0, colon), 0);
    const std::uint64_t end = colon == std::string_view::npos ? first + 1 : parse(part.substr(colon + 1), shape[axis]);
    if (end <= first) throw bad(fmt::format("is empty along axis {}", axis));
    box.start.push_back(first);
    box.count.push_back(end - first);
  }
  return box;
}

}  // namespace weft::reading
