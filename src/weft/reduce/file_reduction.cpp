#include "weft/reduce/file_reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>

#include "weft/partition/ownership.hpp"
#include "weft/reduce/beats.hpp"
#include "weft/reduce/conduction.hpp"
#include "weft/reduce/map_file.hpp"
#include "weft/reduce/map_stretch.hpp"
#include "weft/reduce/map_writer.hpp"
#include "weft/reduce/trace_block.hpp"
#include "weft/reduce/trace_reducer.hpp"
#include "weft/reduce/trace_source.hpp"
#include "weft/reduce/watched_tile.hpp"
#include "weft/storage/byte_store.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/stopwatch.hpp"
#include "weft/view/series_mesh.hpp"

namespace weft::reduce {

namespace {

constexpr std::uint64_t kCacheBytes = 1ULL << 20;
constexpr std::uint64_t kWindowSteps = 16;  // about as many samples of a block of nodes as the nearest cache holds

// Doubles travel between ranks as their bits.
std::uint64_t bits_of(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

class Reducer {
 public:
  Reducer(Communicator& comm, const Reduction& reduction)
      : comm_(comm),
        reduction_(reduction),
        source_(TraceSource::open(comm, reduction.path, reduction.field)),
        watched_(watch(reduction.quantities, {}, reduction.settings)),
        maps_(plan_maps(reduction.quantities, {}, reduction.settings, source_.units(), source_.time_units())),
        reducer_(reduction.quantities, reduction.settings),
        result_(reducer_.rows()) {}

  ReductionReport run() {
    agree_on(comm_, [&] {
      std::error_code problem;
      if (std::filesystem::equivalent(source_.reader().path(), reduction_.out, problem)) {
        throw Error(ErrorKind::usage, reduction_.out, "is the input file", "name another: --out maps.h5");
      }
      plan_block();
    });
    MapFile out(comm_, reduction_.out, reduction_.if_exists, reduction_.take_over);
    const std::vector<std::uint64_t> addresses = out.create(maps_, source_.nodes());
    if (wants_conduction(reduction_.quantities)) measure_distances();
    std::unique_ptr<storage::ByteStore> store;
    agree_on(comm_, [&] {
      store = out.open();
      writer_.emplace(*store, addresses, source_.nodes(), reduction_.fill);
      stretch_.emplace(maps_, *writer_, result_);
      for (std::uint64_t first = mine_.first; first < end();) {
        const std::uint64_t count = std::min(block_nodes_, end() - first);
        one_block(first, count);
        first += count;
        if (reduction_.progress) reduction_.progress(first - mine_.first, mine_.count);
      }
    });
    const std::uint64_t rows = std::min(comm_.max(stretch_->most_beats()), reduction_.settings.max_beats);
    agree_on(comm_, [&] {
      stretch_->fill_up(rows);
      store->close();
    });
    out.finish(maps_, storage::places_of(source_.field()), rows,
               {source_.reader().path(), field(), reduction_.settings.threshold, reduction_.fill});
    return report();
  }

 private:
  std::string field() const { return reduction_.field.empty() ? source_.field().name : reduction_.field; }
  std::uint64_t end() const { return mine_.first + mine_.count; }
  std::uint64_t steps() const { return source_.times().size(); }

  void plan_block() {
    // Whole columns of chunks for every rank; where there are fewer of them than ranks, some have none.
    const std::uint64_t nodes = source_.nodes();
    const std::uint64_t unit = std::min(source_.nodes_together(), nodes);
    const std::uint64_t units = ceil_div(nodes, unit);
    const bool enough = units >= static_cast<std::uint64_t>(comm_.size());
    const partition::Block columns = partition::even_block(enough ? units : nodes, comm_.rank(), comm_.size());
    const std::uint64_t each = enough ? unit : 1;
    mine_.first = std::min(nodes, columns.first * each);
    mine_.count = std::min(nodes, (columns.first + columns.count) * each) - mine_.first;

    // Its lines and the count of beats, what is carried for it, rows of beats before its last, and its trace.
    const std::uint64_t row_bytes = watched_.rows * watched_.beats.quantities().size() * sizeof(double);
    const std::uint64_t bytes_of_maps = (reducer_.rows() + 1) * sizeof(double) + watched_.bytes_a_node() + row_bytes;
    const std::uint64_t bytes_a_node = bytes_of_maps + source_.bytes_a_node();
    const std::uint64_t fitting = reduction_.budget_bytes / bytes_a_node;
    if (fitting == 0) {
      throw Error(ErrorKind::usage, reduction_.path,
                  fmt::format("a budget of {} does not hold one node", format_bytes(reduction_.budget_bytes)),
                  fmt::format("give at least --budget {}", bytes_a_node));
    }
    // Small blocks stay in the processor's cache; at least a column of chunks, so that none is read twice.
    const std::uint64_t cached = std::max(unit, kCacheBytes / (bytes_a_node - bytes_of_maps));
    block_nodes_ = std::min(fitting, cached);
    if (block_nodes_ >= unit) block_nodes_ = block_nodes_ / unit * unit;
    block_nodes_ = std::min(block_nodes_, std::max<std::uint64_t>(1, mine_.count));
  }

  void measure_distances() {
    const std::uint64_t origin = *reduction_.settings.origin;
    const auto mesh = [&] {
      if (!reduction_.mesh.empty()) return view::read_vtu(reduction_.mesh);
      if (has_mesh(source_.reader())) return read_mesh(source_.reader());
      throw Error(ErrorKind::usage, reduction_.path, "has no mesh that Weft knows of", "name one: --mesh mesh.vtu");
    };
    const NodeRange range{mine_.first, mine_.count};
    distances_ = distances_from(comm_, origin, source_.nodes(), mesh, std::span(&range, 1))[0];
    agree_on(comm_, [&] {
      for_each_trace(
          source_.read(origin, 1), [](std::uint64_t) { return true; },
          [&](std::uint64_t, std::span<const double> trace) { reducer_.reduce(trace, source_.times(), result_); });
    });
  }

  void one_block(std::uint64_t first, std::uint64_t count) {
    const TraceBlock block = source_.begin(first, count);
    std::uint64_t bytes_for_rows =
        reduction_.settings.max_beats * watched_.beats.quantities().size() * count * sizeof(double);
    const TileNodes nodes{0, first, count, block.type, count * block.components, block.component, block.components};
    WatchedTile tile(watched_, nodes, bytes_for_rows);
    see_block(tile, block);
    stretch_->begin(first, count);
    stretch_->take(tile, 0);
    for_each_trace(
        block, [&](std::uint64_t node) { return tile.gave_up(node); },
        [&](std::uint64_t node, std::span<const double> trace) {
          const std::uint64_t beats = reducer_.reduce(trace, source_.times(), result_);
          stretch_->set(node, result_, beats);
        });
    const std::span<const double> distances(distances_);
    stretch_->write(distances.empty() ? distances : distances.subspan(first - mine_.first, count));
  }

  // The block is read, and goes by as it would have while it was written: window after window (run_reduction.hpp).
  void see_block(WatchedTile& tile, const TraceBlock& block) {
    const std::uint64_t together = source_.steps_together(block.nodes);
    std::uint64_t before = 0;  // steps of the window before
    for (std::uint64_t from = 0; from < steps(); from += together) {
      const std::uint64_t end = std::min(from + together, steps());
      source_.read_steps(from, end - from);
      const std::uint64_t windows = ceil_div(end - from, kWindowSteps);
      for (std::uint64_t step = from; step < end; step += before) {
        // One step first: blocks of nodes are seen side by side where there is a sample before the window.
        const std::uint64_t window = step == 0 ? 1 : std::min(ceil_div(end - from, windows), end - step);
        see_window(tile, block, step, window, before);
        before = window;
      }
    }
    tile.finish(source_.times());
  }

  void see_window(WatchedTile& tile, const TraceBlock& block, std::uint64_t step, std::uint64_t steps,
                  std::uint64_t before) {
    const std::vector<double>& t = source_.times();
    WindowTimes times;
    times.first_step = step;
    times.steps_before = before;
    times.history = std::min<std::size_t>(watched_.history(), before);
    times.t.assign(t.begin() + static_cast<std::ptrdiff_t>(step - times.history),
                   t.begin() + static_cast<std::ptrdiff_t>(step + steps));
    times.find_spans();
    times.all = std::span(t).first(step + steps);
    tile.see(times, block.steps_of(step, steps), block.steps_of(step - before, before), {});
  }

  ReductionReport report() {
    ReductionReport report;
    report.field = field();
    report.nodes = source_.nodes();
    report.steps = steps();
    report.most_beats = comm_.max(stretch_->most_beats());
    report.beyond_rows = comm_.sum(stretch_->beyond_rows());
    for (std::size_t l = 0; l < stretch_->lines().size(); ++l) {
      const MapLine& line = stretch_->lines()[l];
      const LineRange& range = stretch_->ranges()[l];
      MapSummary summary{maps_[line.map].name, maps_[line.map].units, line.row, 0, 0, 0};
      summary.values = comm_.sum(range.values);
      summary.min = least(range.min);
      summary.max = -least(-range.max);
      if (summary.values > 0) report.maps.push_back(std::move(summary));
    }
    return report;
  }

  // The least of all ranks' values; the group compares integers, and the bits of a double, turned over, order as it
  // does.
  double least(double value) {
    constexpr std::uint64_t kSign = 1ULL << 63;
    std::uint64_t bits = bits_of(value);
    bits = (bits & kSign) != 0 ? ~bits : bits | kSign;
    bits = comm_.min(bits);
    bits = (bits & kSign) != 0 ? bits & ~kSign : ~bits;
    double result = 0;
    std::memcpy(&result, &bits, sizeof result);
    return result;
  }

  Communicator& comm_;
  const Reduction& reduction_;
  TraceSource source_;
  Watched watched_;
  std::vector<MapPlan> maps_;
  TraceReducer reducer_;
  std::vector<double> result_;  // of one trace; until the first block that of the origin
  partition::Block mine_{0, 0};
  std::uint64_t block_nodes_ = 1;
  std::optional<MapWriter> writer_;
  std::optional<MapStretch> stretch_;
  std::vector<double> distances_;  // of this rank's nodes from the origin, where they are wanted
};

}  // namespace

ReductionReport reduce_file(Communicator& comm, const Reduction& reduction) {
  const Stopwatch clock;
  agree_on(comm, [&] { check_settings(reduction.path, reduction.quantities, 0, reduction.settings); });
  ReductionReport report = Reducer(comm, reduction).run();
  report.seconds = clock.seconds();
  return report;
}

}  // namespace weft::reduce
