#include "cli/layout_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/json_text.hpp"
#include "stores/store_profile.hpp"
#include "weft/layout/design.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"
#include "weft/support/shape.hpp"
#include "weft/support/shell_word.hpp"

namespace weft::cli {

namespace {

// The options as typed; parsed when the command runs, so that a bad one ends in weft's own error line.
struct LayoutOptions {
  std::string shape;
  std::string target = "1MiB";
  std::int64_t element_bytes = 8;  // signed, so that -1 is refused and not read as 2^64 - 1
  std::string algorithm = "reads";
  std::string reads = "snapshot=1,trace=1";
  std::string axes;
  std::int64_t ranks = 0;  // 0 where not given
  std::string latency = "1ms";
  std::string bandwidth = "1GB/s";
  std::string store;
  std::string align = "0";
  bool json = false;
};

std::uint64_t at_least(std::int64_t least, std::int64_t value, std::string_view option) {
  if (value < least) {
    throw Error(ErrorKind::usage, option, fmt::format("{} cannot be used", value), "give 1 or more");
  }
  return static_cast<std::uint64_t>(value);
}

layout::DesignRequest request_from(const LayoutOptions& options) {
  layout::DesignRequest request;
  request.shape = parse_shape(options.shape);
  request.element_bytes = at_least(1, options.element_bytes, "--element-bytes");
  request.target_bytes = parse_bytes(options.target);
  request.algorithm = layout::parse_algorithm(options.algorithm);
  if (!options.axes.empty()) request.axes = layout::parse_axes(options.axes, request.shape.size());
  request.read_text = options.reads;
  request.ranks = at_least(0, options.ranks, "--ranks");
  request.access.latency_s = parse_seconds(options.latency);
  request.access.bandwidth = parse_rate(options.bandwidth);
  if (!options.store.empty()) request.access = stores::read_profile(options.store).read_cost();
  request.align_bytes = parse_bytes(options.align);
  return request;
}

std::string dataset_line(const layout::Design& design) {
  const layout::DesignRequest& request = design.request;
  const std::uint64_t bytes = element_count(request.shape) * request.element_bytes;
  return fmt::format("dataset  {} ({}), {} an element, {}\n", to_string(request.shape), axis_names(request.axes),
                     format_bytes(request.element_bytes), format_bytes(bytes));
}

std::string chunk_line(const layout::Design& design) {
  std::string line = fmt::format("chunk    {}, {} ({} bytes); {} of them, {:.2f} % padding\n", to_string(design.chunk),
                                 format_bytes(design.grid.chunk_bytes()), format_count(design.grid.chunk_bytes()),
                                 format_count(design.grid.chunks()), 100 * design.grid.waste());
  if (design.request.align_bytes > 0 && !design.aligned()) {
    line += fmt::format("         not a multiple of {}: no such chunk keeps within the target and 5 % padding\n",
                        format_bytes(design.request.align_bytes));
  }
  return line;
}

// One row per read, every column as wide as its widest cell; the names to the left, the numbers to the right.
std::string read_table(const layout::Design& design) {
  constexpr std::size_t columns = 8;
  using Row = std::array<std::string, columns>;
  std::vector<Row> rows{{"read", "weight", "chunks", "requests", "bytes", "amplification", "time", "through HDF5"}};
  for (const auto& [read, cost] : design.reads) {
    rows.push_back({read.name, fmt::format("{:g}", read.weight), format_count(cost.chunks), format_count(cost.requests),
                    format_bytes(cost.bytes), fmt::format("{:.2f}", cost.amplification()),
                    format_seconds(cost.seconds(design.request.access)), format_bytes(cost.hdf5_bytes)});
  }
  std::array<std::size_t, columns> widths{};
  for (const Row& row : rows) {
    for (std::size_t column = 0; column < columns; ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  std::string table;
  for (const Row& row : rows) {
    table += fmt::format("{:<{}}", row[0], widths[0]);
    for (std::size_t column = 1; column < columns; ++column) {
      table += fmt::format("  {:>{}}", row[column], widths[column]);
    }
    table += '\n';
  }
  return table;
}

std::string explanation(const layout::Design& design) {
  const layout::DesignRequest& request = design.request;
  const std::string store = fmt::format("{} a request and {:.4g} GB/s", format_seconds(request.access.latency_s),
                                        request.access.bandwidth / 1e9);
  const std::string why =
      request.algorithm == layout::Algorithm::reads
          ? fmt::format("Chosen for these reads among chunks of at most {}", format_bytes(request.target_bytes))
          : fmt::format("Isotropic: about equal extents, at most {}", format_bytes(request.target_bytes));
  return fmt::format(
      "{}, at {}.\nPredicted for Weft's reader; \"through HDF5\" is what HDF5's own reader moves, in whole chunks.\n",
      why, store);
}

// The run that writes such a dataset in such chunks, where the ecg kernel has the fields and, knowing none of the
// reads, axes and store given here, decides the same; else the h5py call that does.
std::string next_command(const layout::Design& design, const LayoutOptions& options) {
  const Shape& shape = design.request.shape;
  const bool joint = shape.size() == 3 && shape[2] == 2;  // V and phi_e side by side
  const bool separate = shape.size() == 2;
  if ((joint || separate) && options.element_bytes == 8) {
    layout::DesignRequest plain;
    plain.shape = shape;
    plain.target_bytes = design.request.target_bytes;
    plain.algorithm = design.request.algorithm;
    plain.align_bytes = design.request.align_bytes;
    if (layout::design(plain).chunk == design.chunk) {
      return fmt::format("Next: mpirun -n 2 weft run ecg --nodes {} --steps {}{} --layout {} --target {}{} --out {}\n",
                         shape[1], shape[0], separate ? " --fields separate" : "", options.algorithm,
                         quoted(options.target), plain.align_bytes > 0 ? " --align " + quoted(options.align) : "",
                         "series.h5");
    }
  }
  return fmt::format("Next: h5py's create_dataset(..., chunks=({}{}))\n", fmt::join(design.chunk, ", "),
                     design.chunk.size() == 1 ? "," : "");
}

void run(const LayoutOptions& options) {
  const layout::Design design = layout::design(request_from(options));
  if (options.json) {
    fmt::print("{}\n", json_text(to_json(design)));
    return;
  }
  fmt::print("{}{}\n{}\n{}{}", dataset_line(design), chunk_line(design), read_table(design), explanation(design),
             next_command(design, options));
}

}  // namespace

void add_layout_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("layout", "Choose the chunk shape of a dataset and predict what reads cost");
  const auto options = std::make_shared<LayoutOptions>();
  command->add_option("shape", options->shape, "The extents, slowest axis first: 151x3253316x2")->required();
  command->add_option("--target", options->target, "The largest size of a chunk")->capture_default_str();
  command->add_option("--element-bytes", options->element_bytes, "The size of one element in bytes")
      ->capture_default_str();
  command->add_option("--algorithm", options->algorithm, "reads (for --read) or isotropic (about equal extents)")
      ->capture_default_str();
  command
      ->add_option("--read", options->reads,
                   "The reads to plan for, NAME=WEIGHT separated by commas: snapshot, trace, block (needs --ranks), "
                   "plane, plane:AXIS, box[0:151,100:200,:]")
      ->capture_default_str();
  command->add_option("--axes", options->axes,
                      "A name for each axis: step (or time, t), component (or variable, c); any other name is an axis "
                      "in space [step,node,component]");
  command->add_option("--ranks", options->ranks, "The number of ranks that share the nodes, for block");
  command->add_option("--latency", options->latency, "The time of one request")->capture_default_str();
  command->add_option("--bandwidth", options->bandwidth, "The bandwidth of the file system")->capture_default_str();
  command->add_option("--store", options->store, "The profile of a file system that weft probe measured, for both")
      ->excludes("--latency")
      ->excludes("--bandwidth");
  command->add_option("--align", options->align, "Prefer chunk sizes that are a multiple of this (a stripe, a block)");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Example:\n"
      "  weft layout 151x3253316x2 --target 1MiB --read snapshot=1,trace=4 --latency 1ms --bandwidth 1GB/s");
  command->callback([options] { run(*options); });
}

}  // namespace weft::cli
