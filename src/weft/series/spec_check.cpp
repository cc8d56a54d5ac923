#include "weft/series/spec_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/series/file_plan.hpp"
#include "weft/series/spec_words.hpp"
#include "weft/storage/bit_rounding.hpp"
#include "weft/storage/chunk_codec.hpp"
#include "weft/support/error.hpp"

namespace weft::series {

namespace {

void check_field(const FieldSpec& field, const storage::RegularGrid& grid) {
  const std::string where = "field " + field.name;
  for (const std::uint64_t extent : field.per_step) {
    if (extent != 0) continue;
    throw Error(ErrorKind::usage, where, fmt::format("steps of shape {} hold nothing", to_string(field.per_step)),
                "every extent is at least 1");
  }
  if (field.support != Support::global && field.owned.shape() != field.per_step) {
    throw Error(
        ErrorKind::usage, where,
        fmt::format("is {} a step, its ownership {}", to_string(field.per_step), to_string(field.owned.shape())),
        "make the ownership for the field's own shape");
  }
  const bool global = field.support == Support::global;
  if (field.node_axes && (*field.node_axes == 0 || *field.node_axes > field.per_step.size())) {
    throw Error(ErrorKind::usage, where,
                fmt::format("{} axes of nodes in steps of {}", *field.node_axes, to_string(field.per_step)),
                "give at least 1, and at most as many as a step has");
  }
  const auto places = static_cast<std::ptrdiff_t>(node_axes_of(field, grid));
  const std::uint64_t values = element_count({field.per_step.begin() + places, field.per_step.end()});
  if (!field.components.empty() && field.components.size() != values) {
    throw Error(ErrorKind::usage, where,
                fmt::format("{} names for {} values a {}", field.components.size(), values, global ? "step" : "node"),
                "name every component, or none");
  }
  if (!field.component_units.empty() && field.component_units.size() != field.components.size()) {
    throw Error(ErrorKind::usage, where,
                fmt::format("{} units for {} components", field.component_units.size(), field.components.size()),
                "give every component one, or none");
  }
  if (!field.filters.empty()) {
    try {
      storage::parse_filters(storage::parse_rounding(field.filters, field.type).filters, size_of(field.type));
    } catch (const Error& error) {
      throw Error(error.kind(), where, error.what());
    }
  }
  if (!field.subset) return;
  if (field.per_step.empty() || field.support == Support::global) {
    throw Error(ErrorKind::usage, where, "one value a step stands on no nodes", "leave its subset out");
  }
  const std::uint64_t rows = field.owned.local_elements() / row_elements(field.per_step);
  if (field.subset->size() != rows) {
    throw Error(ErrorKind::usage, where, fmt::format("{} node numbers for {} rows", field.subset->size(), rows),
                "name one node for each row of the rank's local array");
  }
}

void check_grid(const std::string& path, const storage::RegularGrid& grid) {
  if (grid.shape.empty()) return;
  const auto refuse = [&](std::string_view what, std::string_view hint) {
    throw Error(ErrorKind::usage, path + ": the grid", what, hint);
  };
  if (grid.shape.size() != 2 && grid.shape.size() != 3) {
    refuse(fmt::format("has {} axes ({})", grid.shape.size(), to_string(grid.shape)), "give 2 or 3, the slowest first");
  }
  if (std::ranges::find(grid.shape, 0U) != grid.shape.end()) {
    refuse(fmt::format("of {} has no point", to_string(grid.shape)), "every extent is at least 1");
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double apart = grid.spacing.at(axis);
    if (!std::isfinite(grid.origin.at(axis))) refuse("begins at no finite place", "give finite numbers");
    if (!std::isfinite(apart) || apart == 0) {
      refuse(fmt::format("has points {} apart", apart), "give finite numbers that are not 0");
    }
  }
}

// What has to be the same on all ranks, a line each. Memory and signals are each rank's own matter.
std::vector<std::string> declared(const WriterOptions& options) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("sync {}", name_of(options.sync)));
  lines.push_back(fmt::format("commits every {} s and {} steps", options.commit_seconds, options.commit_steps));
  lines.push_back(fmt::format("writers {}", options.writers ? partition::text_of(*options.writers) : "as usual"));
  lines.push_back(fmt::format("{} commit groups", options.commit_groups));
  return lines;
}

std::vector<std::string> declared(const SeriesSpec& spec) {
  std::vector<std::string> lines;
  for (const FieldSpec& field : spec.fields) {
    lines.push_back(fmt::format("field '{}' of {} {} on {}", field.name, to_string(field.per_step),
                                weft::name_of(field.type), storage::name_of(field.support)));
  }
  lines.push_back(spec.steps ? fmt::format("{} steps", *spec.steps) : "an unknown number of steps");
  lines.push_back(spec.mesh ? fmt::format("a mesh of {} points", spec.mesh->points) : "no mesh");
  lines.push_back(spec.grid.shape.empty() ? "no grid" : fmt::format("a grid of {}", to_string(spec.grid.shape)));
  for (std::string& line : declared(spec.options)) lines.push_back(std::move(line));
  return lines;
}

void check_same(Communicator& comm, const std::string& path, const std::vector<std::string>& mine) {
  if (comm.size() == 1) return;
  const std::string all = fmt::format("{}", fmt::join(mine, "\n"));
  const std::uint64_t mark = std::hash<std::string>()(all);
  if (comm.min(mark) == comm.max(mark)) return;
  std::vector<std::byte> bytes(all.size());
  std::memcpy(bytes.data(), all.data(), all.size());
  comm.broadcast(bytes, 0);
  const std::string first(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  agree_on(comm, [&] {
    if (first == all) return;
    std::vector<std::string> of_first;
    for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
      end = first.find('\n', at);
      of_first.push_back(first.substr(at, end == std::string::npos ? end : end - at));
    }
    const auto [here, there] = std::ranges::mismatch(mine, of_first);
    throw Error(ErrorKind::usage, path,
                fmt::format("this rank declares {}, where rank 0 declares {}", here == mine.end() ? "nothing" : *here,
                            there == of_first.end() ? "nothing" : *there),
                "declare the same on every rank");
  });
}

}  // namespace

void check_spec(const std::string& path, const SeriesSpec& spec) {
  for (const FieldSpec& field : spec.fields) check_field(field, spec.grid);
  check_grid(path, spec.grid);
}

void check_same_on_all_ranks(Communicator& comm, const std::string& path, const SeriesSpec& spec) {
  check_same(comm, path, declared(spec));
}

void check_same_on_all_ranks(Communicator& comm, const std::string& path, const WriterOptions& options) {
  check_same(comm, path, declared(options));
}

}  // namespace weft::series
