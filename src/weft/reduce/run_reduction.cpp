#include "weft/reduce/run_reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "weft/partition/ownership.hpp"
#include "weft/reduce/beats.hpp"
#include "weft/reduce/conduction.hpp"
#include "weft/reduce/map_finish.hpp"
#include "weft/reduce/map_writer.hpp"
#include "weft/reduce/watched_tile.hpp"
#include "weft/series/file_plan.hpp"
#include "weft/support/stopwatch.hpp"
#include "weft/view/series_mesh.hpp"

namespace weft::reduce {

namespace {

using storage::ArrayEntry;
using storage::SeriesCatalog;

const std::string kRaw = "/weft/maps/";
const std::string kShown = "/maps/";
constexpr std::uint64_t kFinishBytes = 32ULL << 20;  // what reducing from the file may hold, when all windows are gone

FieldChoice choose(const SeriesCatalog& catalog, const std::string& text) {
  FieldChoice choice = choose_field(catalog.path, std::span(catalog.fields).subspan(1), text);
  ++choice.field;  // fields[0] is the time
  return choice;
}

// The tiles of a field whose nodes have the component that is watched.
std::vector<TileNodes> nodes_of_tiles(const series::WatchedField& watched, std::uint64_t component) {
  const storage::FieldEntry& field = watched.catalog.fields[watched.field];
  const Shape& chunk = watched.catalog.segments[0].fields[watched.field].chunk;
  const std::size_t axes = field.per_step.size();
  std::uint64_t elements = 1;
  std::uint64_t offset = 0;  // of the component in a node's elements of its tile
  std::uint64_t tile_of_component = 0;
  std::uint64_t tiles_a_node = 1;  // that share a node's components
  std::uint64_t weight = 1;
  std::uint64_t rest = component;
  for (std::size_t axis = axes; axis-- > 1;) {
    const std::uint64_t extent = chunk[axis + 1];
    const std::uint64_t index = rest % field.per_step[axis];
    rest /= field.per_step[axis];
    offset += index % extent * weight;
    tile_of_component += index / extent * tiles_a_node;
    tiles_a_node *= ceil_div(field.per_step[axis], extent);
    weight *= extent;
  }
  elements = weight * chunk[1];
  std::vector<TileNodes> nodes;
  for (std::size_t slot = 0; slot < watched.tiles.size(); ++slot) {
    const std::uint64_t tile = watched.tiles[slot];
    if (tile % tiles_a_node != tile_of_component) continue;
    const std::uint64_t first = tile / tiles_a_node * chunk[1];
    const std::uint64_t count = std::min(chunk[1], field.per_step[0] - first);
    nodes.push_back({slot, first, count, field.type, elements, offset, weight});
  }
  return nodes;
}

// As the file was designed to be read: measuring the store would take longer than the little that is read.
SeriesReader open_reader(Communicator& comm, const SeriesCatalog& catalog) {
  ReadOptions options;
  options.access = layout::AccessCost{};
  return SeriesReader::open(comm, catalog.path, options);
}

}  // namespace

class RunReduction::Impl {
 public:
  explicit Impl(RunReductionSpec spec)
      : spec_(std::move(spec)), watched_(watch(spec_.quantities, spec_.own, spec_.settings)) {
    check_settings(spec_.field, spec_.quantities, spec_.own.size(), spec_.settings);
    std::set<std::string> names;
    for (const Quantity& quantity : spec_.quantities) names.insert(quantity.name);
    for (const auto& quantity : spec_.own) {
      if (names.insert(quantity->name()).second) continue;
      throw Error(ErrorKind::usage, fmt::format("quantity '{}'", quantity->name()), "is named twice", "name it once");
    }
  }

  // The maps, in the order of TraceReducer's rows; then the count of beats where there is one.
  std::vector<MapPlan> maps(const std::string& value_units, const std::string& time_units) const {
    return plan_maps(spec_.quantities, spec_.own, spec_.settings, value_units, time_units);
  }
  bool per_beat() const { return !watched_.beats.quantities().empty(); }

  std::vector<storage::FixedArrayPlan> arrays(const SeriesSpec& spec) const {
    std::vector<storage::FieldEntry> fields;
    for (const FieldSpec& from : spec.fields) {
      storage::FieldEntry field;
      field.name = from.name;
      field.per_step = from.per_step;
      field.support = from.support;
      field.components = from.components;
      field.node_axes = series::node_axes_of(from, spec.grid);
      fields.push_back(std::move(field));
    }
    const FieldChoice choice = choose_field("the series", fields, spec_.field);
    const std::uint64_t nodes = storage::nodes_of(fields[choice.field]);
    std::vector<storage::FixedArrayPlan> arrays;
    const std::string folder = kRaw + choice.label + "/";
    for (const MapPlan& map : maps("", "")) {
      arrays.push_back({folder + map.name, DataType::float64, map.shape({nodes}), {}});
    }
    if (per_beat()) arrays.push_back({folder + "beats", DataType::int64, {nodes}, {}});
    return arrays;
  }

  // Where the maps lie: as maps(), then the beats. Empty where the file has no room for them.
  std::vector<std::uint64_t> addresses(const SeriesCatalog& catalog) const {
    const std::string folder = kRaw + choose(catalog, spec_.field).label + "/";
    std::vector<std::uint64_t> addresses;
    const auto add = [&](const std::string& name) {
      const ArrayEntry* array = catalog.find_fixed(folder + name);
      if (array != nullptr) addresses.push_back(array->address());
      return array != nullptr;
    };
    for (const MapPlan& plan : maps("", "")) {
      if (!add(plan.name)) return {};
    }
    if (per_beat() && !add("beats")) return {};
    return addresses;
  }

  // Rows that no node has read as the fill value without being in the file.
  storage::ObjectPlan objects(const SeriesCatalog& catalog) const {
    if (addresses(catalog).empty()) return {};
    const FieldChoice choice = choose(catalog, spec_.field);
    const storage::FieldEntry& field = catalog.fields[choice.field];
    storage::ObjectPlan plan{storage::GroupObject{kShown + choice.label, {}}};
    const auto show = [&](const MapPlan& one, DataType type, std::uint64_t rows, std::optional<double> fill) {
      const Shape shape = one.shape({storage::nodes_of(field)});
      const Shape on_grid = one.shape(storage::places_of(field));
      storage::VirtualObject object{kShown + choice.label + "/" + one.name, type, on_grid, {}};
      object.fill = fill;
      object.attributes = {{"field", spec_.field}, {"steps", static_cast<std::int64_t>(covered_)}};
      if (one.per_beat || one.name == "first_crossing") object.attributes["threshold"] = spec_.settings.threshold;
      if (!one.units.empty()) object.attributes["units"] = one.units;
      Box from = whole(shape);
      Box to = whole(on_grid);
      if (one.per_beat) from.count[0] = to.count[0] = std::min(rows, shape[0]);
      if (rows > 0) {
        object.mappings.push_back(
            {".", kRaw + choice.label + "/" + one.name, shape, storage::Slab::of(from), storage::Slab::of(to)});
      }
      plan.emplace_back(std::move(object));
    };
    for (const MapPlan& one : maps(field.units, catalog.fields[0].units)) {
      const std::uint64_t rows = one.per_beat ? report_.most_beats : 1;
      show(one, DataType::float64, covered_ > 0 ? rows : 0, spec_.fill);
    }
    if (per_beat()) show({"beats", ""}, DataType::int64, covered_ > 0 ? 1 : 0, std::nullopt);
    return plan;
  }

  std::uint64_t start(const series::WatchedField& field, std::uint64_t allowance) {
    addresses_ = addresses(field.catalog);
    nodes_ = storage::nodes_of(field.catalog.fields[field.field]);
    if (addresses_.empty()) throw no_room(field.catalog);
    // The nodes of a grid's tile do not lie in one row of the maps: they are reduced from the file, at the end.
    if (field.catalog.fields[field.field].node_axes > 1) return 0;
    // An eighth at least is left for rows that fill. Those have beats before a node's last, so tiles need one while a
    // wave goes through them, and no more than a few do at a time: half a row a node will do where memory is dear.
    const std::uint64_t carried_at_most = per_beat() ? allowance / 8 * 7 : allowance;
    std::uint64_t carried = 0;
    std::uint64_t row = 0;
    ranges_ = nodes_of_tiles(field, choose(field.catalog, spec_.field).component);
    started_ = true;
    for (const TileNodes& nodes : ranges_) {
      const std::uint64_t bytes = nodes.count * watched_.bytes_a_node();
      if (carried + bytes > carried_at_most) break;
      carried += bytes;
      row += watched_.beats.quantities().size() * nodes.count * sizeof(double);
      tiles_.push_back(std::make_unique<WatchedTile>(watched_, nodes, bytes_for_rows_));
      tile_of_slot_.resize(nodes.slot + 1, nullptr);
      tile_of_slot_[nodes.slot] = tiles_.back().get();
    }
    bytes_for_rows_ = std::min(allowance - carried, std::max(row / 2, std::min(2 * row, allowance / 8)));
    return carried + bytes_for_rows_;
  }

  void see_part(std::size_t slot, std::uint64_t step, std::uint64_t offset, std::span<const std::byte> values) {
    if (slot >= tile_of_slot_.size() || tile_of_slot_[slot] == nullptr || offset != 0) return;
    const TileNodes& nodes = tile_of_slot_[slot]->nodes();
    if (values.size() >= nodes.count * nodes.stride * size_of(nodes.type)) {
      tile_of_slot_[slot]->see_row(step, values);
    }
  }

  void see(const series::WatchedWindow& window) {
    const Stopwatch clock;
    if (window.first_step != seen_) {  // it began before; let the file tell
      drop_tiles();
      return;
    }
    WindowTimes times;
    times.first_step = window.first_step;
    times.steps_before = window.times_before.size();
    times.history = std::min<std::size_t>(watched_.history(), times.steps_before);
    const auto last_before = window.times_before.last(times.history);
    times.t.assign(last_before.begin(), last_before.end());
    times.t.insert(times.t.end(), window.times.begin(), window.times.end());
    times.find_spans();
    times_.insert(times_.end(), window.times.begin(), window.times.end());
    times.all = times_;
    MapWriter writer(window.store, addresses_, nodes_, spec_.fill);
    for (const auto& tile : tiles_) {
      const std::size_t slot = tile->nodes().slot;
      const WatchedTile::WriteRow write = [&](std::uint64_t row, std::span<double> values) {
        write_row(writer, tile->nodes(), row, values);
      };
      tile->see(times, window.now.steps_of(slot, 0, window.times.size()),
                window.before.steps_of(slot, 0, times.steps_before), write);
    }
    seen_ += window.times.size();
    report_.watching_seconds += clock.seconds();
  }

  void finish(Communicator& comm, const SeriesCatalog& catalog, storage::ByteStore& store, std::uint64_t steps) {
    const Stopwatch clock;
    const FieldChoice choice = choose(catalog, spec_.field);
    std::uint64_t missing = 0;
    agree_on(comm, [&] {
      addresses_ = addresses(catalog);
      nodes_ = storage::nodes_of(catalog.fields[choice.field]);
      if (addresses_.empty()) throw no_room(catalog);
      missing = gather_missing(comm, steps);
    });
    report_.folder = kShown + choice.label;
    report_.nodes = nodes_;
    report_.from_file = comm.sum(missing);
    std::optional<SeriesReader> reader;
    const bool conduction = wants_conduction(spec_.quantities);
    if (report_.from_file > 0 || conduction) reader = open_reader(comm, catalog);
    std::vector<std::vector<double>> distances(ranges_.size());
    if (conduction) {
      std::vector<NodeRange> ranges;
      for (const TileNodes& nodes : ranges_) ranges.push_back({nodes.first, nodes.count});
      distances = distances_from(
          comm, *spec_.settings.origin, nodes_, [&] { return read_mesh(*reader); }, ranges);
    }
    const std::vector<MapPlan> plans = maps("", "");
    TraceReducer reducer(spec_.quantities, spec_.settings, spec_.own);
    MapWriter writer(store, addresses_, nodes_, spec_.fill);
    std::optional<MapFinish> finish;
    agree_on(comm, [&] {
      finish.emplace(plans, reducer, writer, reader ? &*reader : nullptr, choice,
                     conduction ? spec_.settings.origin : std::nullopt, kFinishBytes);
      for (std::size_t i = 0; i < ranges_.size(); ++i) {
        finish->finish(ranges_[i], i < tiles_.size() ? tiles_[i].get() : nullptr, distances[i]);
        if (i < tiles_.size()) tiles_[i].reset();
      }
    });
    report_.most_beats = comm.max(finish->most_beats());
    report_.beyond_rows = comm.sum(finish->beyond_rows());
    agree_on(comm, [&] { finish->fill_up(std::min(report_.most_beats, spec_.settings.max_beats)); });
    covered_ = steps;
    report_.watching_seconds = slowest(comm, report_.watching_seconds);
    report_.finishing_seconds = slowest(comm, clock.seconds());
  }

  // The nodes of this rank that have to be reduced from the file.
  std::uint64_t gather_missing(Communicator& comm, std::uint64_t steps) {
    if (seen_ != steps) drop_tiles();
    if (!started_) {  // a strategy without tiles of its own: nodes are dealt evenly
      const partition::Block mine = partition::even_block(nodes_, comm.rank(), comm.size());
      ranges_.assign(1, {0, mine.first, mine.count});
    }
    std::uint64_t missing = 0;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      if (i >= tiles_.size()) {
        missing += ranges_[i].count;
        continue;
      }
      tiles_[i]->finish(times_);
      for (std::uint64_t node = 0; node < ranges_[i].count; ++node) missing += tiles_[i]->gave_up(node) ? 1 : 0;
    }
    return missing;
  }

  // A row that is complete before the run is, of all quantities per beat.
  void write_row(MapWriter& writer, const TileNodes& nodes, std::uint64_t row, std::span<double> values) const {
    std::size_t beats = 0;
    for (std::size_t map = 0; map < spec_.quantities.size(); ++map) {
      if (!spec_.quantities[map].per_beat()) continue;
      writer.write(map, row, nodes.first, values.subspan(beats++ * nodes.count, nodes.count));
    }
  }

  void drop_tiles() {
    tile_of_slot_.clear();
    tiles_.clear();
  }

  Error no_room(const SeriesCatalog& catalog) const {
    return {ErrorKind::usage, catalog.path, fmt::format("was made without room for maps of {}", spec_.field),
            "weft reduce makes them in a file of their own"};
  }

  RunReductionSpec spec_;
  Watched watched_;
  bool started_ = false;
  std::vector<std::uint64_t> addresses_;
  std::uint64_t nodes_ = 0;                          // of the field
  std::vector<TileNodes> ranges_;                    // the nodes this rank makes maps of
  std::vector<std::unique_ptr<WatchedTile>> tiles_;  // of the first of them
  std::vector<WatchedTile*> tile_of_slot_;           // of each slot of a window, or null
  std::uint64_t bytes_for_rows_ = 0;
  std::uint64_t seen_ = 0;  // steps
  std::vector<double> times_;
  std::uint64_t covered_ = 0;  // steps the maps in the file are of
  RunReductionReport report_;
};

RunReduction::RunReduction(RunReductionSpec spec) : impl_(std::make_unique<Impl>(std::move(spec))) {}
RunReduction::~RunReduction() = default;

const RunReductionReport& RunReduction::report() const { return impl_->report_; }
std::vector<storage::FixedArrayPlan> RunReduction::arrays(const SeriesSpec& spec) { return impl_->arrays(spec); }
storage::ObjectPlan RunReduction::objects(const SeriesCatalog& catalog) const { return impl_->objects(catalog); }
std::size_t RunReduction::field(const SeriesCatalog& catalog) const {
  return choose(catalog, impl_->spec_.field).field;
}
std::uint64_t RunReduction::start(const series::WatchedField& field, std::uint64_t allowance) {
  return impl_->start(field, allowance);
}
void RunReduction::see_part(std::size_t slot, std::uint64_t step, std::uint64_t offset,
                            std::span<const std::byte> values) {
  impl_->see_part(slot, step, offset, values);
}
void RunReduction::see(const series::WatchedWindow& window) { impl_->see(window); }
void RunReduction::finish(Communicator& comm, const SeriesCatalog& catalog, storage::ByteStore& store,
                          std::uint64_t steps) {
  impl_->finish(comm, catalog, store, steps);
}

}  // namespace weft::reduce
