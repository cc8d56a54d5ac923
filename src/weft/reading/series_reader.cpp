#include "weft/reading/series_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "weft/layout/chunk_grid.hpp"
#include "weft/storage/measure_store.hpp"
#include "weft/storage/metadata_watch.hpp"
#include "weft/storage/recording.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/storage/shared_file.hpp"
#include "weft/storage/writer_lock.hpp"
#include "weft/storage/writer_state.hpp"
#include "weft/support/error.hpp"

namespace weft {

using storage::ArrayMap;
using storage::FieldMap;
using storage::ReadPlan;

namespace {

// What rank 0 found out and the others are told, besides the map itself.
struct Findings {
  layout::Store store;
  std::uint64_t committed;
  std::uint64_t inode;
};

Error replaced(const std::string& path) {
  return {ErrorKind::data, path, "has been replaced by another file of its name", "open it again"};
}

Error no_such_node(const std::string& path, const std::string& name, const FieldMap& field, const std::string& asked) {
  const Shape grid = places_of(field);
  return {ErrorKind::usage, path, fmt::format("field '{}' has no {}", name, asked),
          grid.size() < 2
              ? fmt::format("its nodes are 0 to {}", nodes_of(field) - 1)
              : fmt::format("its nodes are a grid of {}, numbered 0 to {}", to_string(grid), nodes_of(field) - 1)};
}

// The boxes over a grid's axes whose elements are nodes [first, first + nodes), one box behind the other.
std::vector<Box> boxes_of_nodes(const Shape& grid, std::uint64_t first, std::uint64_t nodes) {
  std::vector<Box> boxes;
  while (nodes > 0) {
    // The largest stretch of whole rows, planes, ... that begins here.
    std::size_t axis = grid.size() - 1;
    std::uint64_t each = 1;  // nodes below this axis
    while (axis > 0 && first % (each * grid[axis]) == 0 && nodes >= each * grid[axis]) each *= grid[axis--];
    Box box{Shape(grid.size(), 0), Shape(grid.size(), 1)};
    std::uint64_t rest = first;
    for (std::size_t i = grid.size(); i-- > 0;) {
      box.start[i] = rest % grid[i];
      rest /= grid[i];
      if (i > axis) box.count[i] = grid[i];
    }
    box.count[axis] = std::min(nodes / each, grid[axis] - box.start[axis]);
    first += box.count[axis] * each;
    nodes -= box.count[axis] * each;
    boxes.push_back(std::move(box));
  }
  return boxes;
}

}  // namespace

SeriesReader SeriesReader::open(const std::string& path, ReadOptions options) {
  SelfCommunicator alone;
  return open(alone, path, std::move(options));
}

SeriesReader SeriesReader::open(Communicator& comm, const std::string& from, ReadOptions options) {
  SeriesReader reader;
  reader.options_ = std::move(options);
  std::vector<std::byte> state;
  const std::string path = from.find(':') == std::string::npos ? from : storage::file_of_recording(from);
  if (path != from) reader.named_ = from.substr(path.size() + 1);
  storage::find_one_file(comm, path);
  std::uint64_t foreign = 0;
  agree_on(comm, [&] {
    if (comm.rank() == 0) foreign = storage::is_series_file(path) ? 0 : 1;
  });
  if (comm.max(foreign) == 1) {
    agree_on(comm, [&] {
      if (!reader.named_.empty()) reader.options_.choice.dataset = reader.named_;
      reader.open_foreign(path);
    });
    return reader;
  }
  agree_on(comm, [&] {
    reader.open_bytes(path);
    if (comm.rank() != 0) return;
    if (reader.options_.store) {
      reader.use_store(*reader.options_.store);
    } else {
      reader.store_ = reader.options_.wrap ? storage::measure(*reader.bytes_) : storage::measure_once(*reader.bytes_);
    }
    while (!reader.read_map_and_slots(path)) reader.open_bytes(path);
    if (comm.size() > 1) state = reader.shared_state();
  });
  if (comm.size() > 1) {
    comm.broadcast(state, 0);
    agree_on(comm, [&] {
      if (comm.rank() != 0) reader.take_shared_state(path, state);
    });
  }
  reader.opened_ = std::make_shared<reading::OpenedFile>(path);
  if (!reader.named_.empty()) reader.named_field();
  return reader;
}

void SeriesReader::reload() {
  SelfCommunicator alone;
  reload(alone);
}

void SeriesReader::reload(Communicator& comm) {
  if (foreign_) return agree_on(comm, [&] { open_foreign(map_.path); });
  std::vector<std::byte> state;
  agree_on(comm, [&] {
    if (comm.rank() != 0) return;
    // The map too: a restart may have added segments or moved the slots.
    if (!read_map_and_slots(map_.path)) throw replaced(map_.path);
    if (comm.size() > 1) state = shared_state();
  });
  if (comm.size() == 1) return;
  comm.broadcast(state, 0);
  agree_on(comm, [&] {
    if (comm.rank() != 0) take_shared_state(map_.path, state);
  });
}

void SeriesReader::use_store(const layout::Store& store) {
  if (!(store.latency_s >= 0 && store.bandwidth > 0 && store.max_request_bytes > 0)) {
    throw Error(ErrorKind::usage, bytes_->name(), "the store's latency, bandwidth or longest request cannot be used",
                "give a latency of at least 0, and the others above 0");
  }
  store_ = store;
}

void SeriesReader::open_bytes(const std::string& path) {
  do {
    inode_ = storage::inode_of(path);
    bytes_ = storage::open_posix(path, storage::OpenMode::read, options_.counters);
  } while (storage::inode_of(path) != inode_);
  if (options_.wrap) bytes_ = options_.wrap(std::move(bytes_));
}

// Every rank looks for itself: the file is not changed beside it.
void SeriesReader::open_foreign(const std::string& path) {
  open_bytes(path);
  if (options_.store) {
    use_store(*options_.store);
  } else {
    store_ = options_.wrap ? storage::measure(*bytes_) : storage::measure_once(*bytes_);
  }
  foreign_ = std::make_shared<const reading::ForeignSeries>(reading::find_series(path, options_.choice));
  map_ = foreign_->map;
  committed_ = map_.length;
  arrays_ = std::make_unique<reading::StoredArrays>();
  opened_ = std::make_shared<reading::OpenedFile>(path);
}

// False where the path leads to another file than the bytes by now.
bool SeriesReader::read_map_and_slots(const std::string& path) {
  storage::look_until_whole(path, [&] { return read_map(path); });
  return storage::inode_of(path) == inode_;
}

// False where the map is of before what the slots tell.
bool SeriesReader::read_map(const std::string& path) {
  storage::SeriesMap map = storage::read_series_map(path);
  const std::uint64_t committed = storage::readable_steps(*bytes_, map);
  const bool written = storage::has_living_writer(path);
  if (committed > map.capacity()) {
    if (written) return false;  // a segment was added since
    throw Error(ErrorKind::data, path,
                fmt::format("says {} steps are committed but has room for {}", committed, map.capacity()),
                "the file is damaged: copy it again or write it anew");
  }
  // The slots say more than pages that were read before them.
  if (written) storage::look_past_cache(path);
  map_ = std::move(map);
  committed_ = committed;
  return true;
}

std::vector<std::byte> SeriesReader::shared_state() const {
  const Findings findings{store_, committed_, inode_};
  std::vector<std::byte> state(sizeof(findings));
  std::memcpy(state.data(), &findings, sizeof(findings));
  const std::vector<std::byte> map = to_bytes(map_);
  state.insert(state.end(), map.begin(), map.end());
  return state;
}

void SeriesReader::take_shared_state(const std::string& path, const std::vector<std::byte>& state) {
  Findings findings;
  std::memcpy(&findings, state.data(), sizeof(findings));
  if (findings.inode != inode_) throw replaced(path);
  store_ = findings.store;
  committed_ = findings.committed;
  map_ = storage::series_map_from_bytes({state.begin() + sizeof(findings), state.end()});
}

std::size_t SeriesReader::field_number(const std::string& name) const {
  const std::optional<std::size_t> number = map_.find_field(name);
  if (number) return *number;
  // By the path of its dataset, too, or as much of its end as no other has.
  const auto ends_with_it = [&](std::size_t f) {
    const std::string& dataset = map_.segments[0].fields[f].path;
    return dataset == name || dataset.ends_with("/" + name);
  };
  std::optional<std::size_t> found;
  std::size_t fitting = 0;
  for (std::size_t f = 1; foreign_ && f < map_.fields.size(); ++f) {
    if (!ends_with_it(f)) continue;
    found = f;
    ++fitting;
  }
  if (fitting == 1) return *found;
  std::vector<std::string_view> known;
  for (const FieldMap& known_field : fields()) known.push_back(known_field.name);
  throw Error(ErrorKind::usage, path(), fmt::format("has no field '{}'", name),
              known.empty() ? "it holds no fields" : fmt::format("its fields are: {}", fmt::join(known, ", ")));
}

std::string SeriesReader::named_field() const {
  if (foreign_ == nullptr && !named_.empty()) return field(named_.starts_with('/') ? named_.substr(1) : named_).name;
  return fields().size() == 1 ? fields()[0].name : "";
}

const FieldMap& SeriesReader::field(const std::string& name) const { return map_.fields[field_number(name)]; }

std::vector<double> SeriesReader::times() const {
  std::vector<double> values(committed_);
  if (committed_ > 0) read<double>("time", {{0}, {committed_}}, values);
  return values;
}

Box SeriesReader::snapshot_box(const std::string& name, std::uint64_t step) const {
  Box box = whole(field(name).per_step);
  box.start.insert(box.start.begin(), step);
  box.count.insert(box.count.begin(), 1);
  check_box(name, box);
  return box;
}

Box SeriesReader::trace_box(const std::string& name, std::uint64_t node) const {
  const FieldMap& known = field(name);
  if (known.node_axes < 2) return block_box(name, node, 1, 0, committed_);
  if (node >= nodes_of(known)) throw no_such_node(path(), name, known, fmt::format("node {}", node));
  Shape place(known.node_axes);
  for (std::size_t axis = place.size(); axis-- > 0;) {
    place[axis] = node % known.per_step[axis];
    node /= known.per_step[axis];
  }
  return trace_box(name, place);
}

Box SeriesReader::trace_box(const std::string& name, const Shape& place) const {
  const FieldMap& known = field(name);
  const std::size_t axes = std::max<std::size_t>(1, known.node_axes);
  if (place.size() == 1) {
    if (axes == 1) return block_box(name, place[0], 1, 0, committed_);
    return trace_box(name, place[0]);
  }
  bool inside = place.size() == axes;
  for (std::size_t axis = 0; inside && axis < axes; ++axis) inside = place[axis] < known.per_step[axis];
  if (!inside) throw no_such_node(path(), name, known, fmt::format("node {}", fmt::join(place, ",")));
  Box box = whole(known.per_step);
  std::copy(place.begin(), place.end(), box.start.begin());
  std::fill_n(box.count.begin(), axes, 1);
  box.start.insert(box.start.begin(), 0);
  box.count.insert(box.count.begin(), committed_);
  check_box(name, box);
  return box;
}

Box SeriesReader::block_box(const std::string& name, std::uint64_t first_node, std::uint64_t nodes,
                            std::uint64_t first_step, std::uint64_t steps) const {
  const Shape& per_step = field(name).per_step;
  const std::uint64_t there_are = per_step.empty() ? 1 : per_step[0];
  if (first_node > there_are || nodes > there_are - first_node) {
    throw Error(ErrorKind::usage, path(),
                nodes == 1 ? fmt::format("field '{}' has no node {}", name, first_node)
                           : fmt::format("field '{}' has no {} nodes from node {}", name, nodes, first_node),
                fmt::format("its nodes are 0 to {}", there_are - 1));
  }
  Box box = whole(per_step);
  if (!per_step.empty()) {
    box.start[0] = first_node;
    box.count[0] = nodes;
  }
  box.start.insert(box.start.begin(), first_step);
  box.count.insert(box.count.begin(), steps);
  check_box(name, box);
  return box;
}

void SeriesReader::check_type(const std::string& name, DataType type) const {
  const DataType held = field(name).type;
  if (held == type) return;
  throw Error(ErrorKind::usage, path(),
              fmt::format("field '{}' holds {} and was asked for as {}", name, name_of(held), name_of(type)),
              fmt::format("read it as {}", name_of(held)));
}

void SeriesReader::check_box(const std::string& name, const Box& box) const {
  const FieldMap& known = field(name);
  Shape shape = known.per_step;
  shape.insert(shape.begin(), steps());
  const auto bad = [&](std::string_view what, std::string_view remedy) {
    return Error(ErrorKind::usage, path(), fmt::format("field '{}' {}", name, what), remedy);
  };
  if (box.start.size() != shape.size() || box.count.size() != shape.size()) {
    throw bad(fmt::format("has {} axes, the box has {}", shape.size(), box.start.size()),
              fmt::format("its shape is {}", to_string(shape)));
  }
  if (box.start[0] > committed_ || box.count[0] > committed_ - box.start[0]) {
    const std::string asked = box.count[0] == 1 ? fmt::format("step {}", box.start[0])
                                                : fmt::format("{} steps from step {}", box.count[0], box.start[0]);
    throw bad(fmt::format("was asked for {}, but {} of {} steps are committed", asked, committed_, shape[0]),
              committed_ == 0 ? "wait until a step is written" : fmt::format("ask for steps 0 to {}", committed_ - 1));
  }
  for (std::size_t axis = 1; axis < shape.size(); ++axis) {
    if (box.start[axis] > shape[axis] || box.count[axis] > shape[axis] - box.start[axis]) {
      throw bad(fmt::format("was asked for {} from {} along axis {}", box.count[axis], box.start[axis], axis),
                fmt::format("its shape is {}", to_string(shape)));
    }
  }
}

void SeriesReader::for_each_segment(const Box& box, const std::function<void(std::size_t, const Box&)>& visit) const {
  const std::uint64_t end = box.start[0] + box.count[0];
  for (std::size_t number = 0; number < map_.segments.size(); ++number) {
    const storage::SegmentMap& segment = map_.segments[number];
    const std::uint64_t from = std::max(box.start[0], segment.first_step);
    const std::uint64_t to = std::min(end, segment.first_step + segment.steps);
    if (from >= to) continue;
    Box part = box;
    part.start[0] = from - segment.first_step;
    part.count[0] = to - from;
    visit(number, part);
  }
}

reading::StoredArray* SeriesReader::stored_array(std::size_t segment, std::size_t field) const {
  const ArrayMap& array = map_.segments[segment].fields[field];
  if (array.addresses.known()) return nullptr;
  return &arrays_->at(segment, field, [&] {
    return new reading::StoredArray(
        opened_, array, foreign_ ? foreign_->decodings[field] : reading::plain_decoding(array), options_.on_request);
  });
}

const ArrayMap* SeriesReader::direct_map(std::size_t segment, std::size_t field) const {
  const reading::StoredArray* stored = stored_array(segment, field);
  if (stored == nullptr) return &map_.segments[segment].fields[field];
  return stored->direct() ? &*stored->direct() : nullptr;
}

bool SeriesReader::reads_directly(const std::string& name) const {
  const std::size_t number = field_number(name);
  if (foreign_ && number == 0) return false;
  bool directly = true;
  for (std::size_t segment = 0; directly && segment < map_.segments.size(); ++segment) {
    directly = direct_map(segment, number) != nullptr;
  }
  return directly;
}

ReadPlan SeriesReader::plan(const std::string& name, const Box& box) const {
  check_box(name, box);
  const std::size_t number = field_number(name);
  ReadPlan plan;
  for_each_segment(box, [&](std::size_t segment, const Box& part) {
    const ArrayMap* array = foreign_ && number == 0 ? nullptr : direct_map(segment, number);
    if (array == nullptr) {
      throw Error(ErrorKind::usage, path(), fmt::format("field '{}' is decoded when it is read", name),
                  "only what lies as it is in the file is read by a plan");
    }
    try {
      append_read(plan, *array, part, store_);
    } catch (const Error& error) {
      throw Error(error.kind(), path(), error.what());  // storage/ names the dataset, not the file
    }
  });
  return plan;
}

layout::ReadCost SeriesReader::predicted(const std::string& name, const Box& box) const {
  check_box(name, box);
  const std::size_t number = field_number(name);
  layout::ReadCost sum;
  for_each_segment(box, [&](std::size_t segment, const Box& part) {
    if (foreign_ && number == 0) return;  // the times were read when the file was opened
    const ArrayMap* direct = direct_map(segment, number);
    const ArrayMap& array = direct != nullptr ? *direct : map_.segments[segment].fields[number];
    std::optional<layout::Coding> coding;
    if (direct == nullptr && stored_array(segment, number)->fetches_whole_chunks()) {
      coding = layout::Coding{stored_array(segment, number)->stored_share()};
    }
    const layout::ReadCost cost =
        layout::predict(layout::ChunkGrid(array.shape, array.chunk, size_of(array.type)), part, store_, coding);
    sum.asked_bytes += cost.asked_bytes;
    sum.chunks += cost.chunks;
    sum.requests += cost.requests;
    sum.bytes += cost.bytes;
    sum.hdf5_bytes += cost.hdf5_bytes;
  });
  return sum;
}

void SeriesReader::execute(const ReadPlan& plan, std::span<std::byte> values) const {
  storage::execute_read(plan, *bytes_, store_, values, options_.max_threads);
}

void SeriesReader::read(const std::string& name, const Box& box, std::span<std::byte> values) const {
  check_box(name, box);
  const std::size_t number = field_number(name);
  const FieldMap& known = map_.fields[number];
  if (element_count(box.count) * size_of(known.type) != values.size()) {
    throw Error(ErrorKind::usage, path(),
                fmt::format("{} bytes for a box of {} {}", values.size(), to_string(box.count), name_of(known.type)),
                "pass as much memory as the box has values");
  }
  if (foreign_ && number == 0) {
    const auto times = std::as_bytes(std::span(foreign_->times)).subspan(box.start[0] * sizeof(double), values.size());
    std::copy(times.begin(), times.end(), values.begin());
    return;
  }
  ReadPlan plan;
  bool directly = true;
  std::size_t at = 0;
  std::vector<std::pair<const reading::StoredArray*, std::span<std::byte>>> packed;
  const std::size_t step_bytes = box.count[0] == 0 ? 0 : values.size() / box.count[0];
  // Either all of it is one plan, or each segment is read by itself.
  for_each_segment(
      box, [&](std::size_t segment, const Box&) { directly = directly && direct_map(segment, number) != nullptr; });
  for_each_segment(box, [&](std::size_t segment, const Box& part) {
    const std::span<std::byte> to = values.subspan(at, part.count[0] * step_bytes);
    at += to.size();
    reading::StoredArray* stored = stored_array(segment, number);
    const ArrayMap* array = direct_map(segment, number);
    try {
      if (array == nullptr) return stored->read(part, to);
      if (!directly) return execute(plan_read(*array, part, store_), to);
      append_read(plan, *array, part, store_);
      if (stored != nullptr) packed.emplace_back(stored, to);
    } catch (const Error& error) {
      throw Error(error.kind(), path(), error.what());  // storage/ names the dataset, not the file
    }
  });
  if (directly) execute(plan, values);
  for (const auto& [stored, part] : packed) stored->unpack(part);
}

void SeriesReader::read_nodes(const std::string& name, std::uint64_t first, std::uint64_t nodes,
                              std::uint64_t first_step, std::uint64_t steps, std::span<std::byte> values) const {
  const FieldMap& known = field(name);
  if (known.node_axes < 2) return read(name, block_box(name, first, nodes, first_step, steps), values);
  if (first > nodes_of(known) || nodes > nodes_of(known) - first) {
    throw no_such_node(path(), name, known, fmt::format("{} nodes from node {}", nodes, first));
  }
  const Shape grid = places_of(known);
  const std::uint64_t node_bytes = components_of(known) * size_of(known.type);
  const std::vector<Box> boxes = boxes_of_nodes(grid, first, nodes);
  Values<std::byte> part;
  std::uint64_t before = 0;  // bytes of a step that other boxes hold
  for (const Box& places : boxes) {
    Box box = whole(known.per_step);
    std::copy(places.start.begin(), places.start.end(), box.start.begin());
    std::copy(places.count.begin(), places.count.end(), box.count.begin());
    box.start.insert(box.start.begin(), first_step);
    box.count.insert(box.count.begin(), steps);
    if (boxes.size() == 1) return read(name, box, values);
    const std::uint64_t step_bytes = element_count(places.count) * node_bytes;
    part.resize(step_bytes * steps);
    read(name, box, std::span<std::byte>(part));
    for (std::uint64_t step = 0; step < steps; ++step) {
      std::memcpy(values.data() + step * nodes * node_bytes + before, part.data() + step * step_bytes, step_bytes);
    }
    before += step_bytes;
  }
}

void SeriesReader::read_fixed(const std::string& array_path, std::span<std::byte> values) const {
  const ArrayMap* array = map_.find_fixed(array_path);
  if (array == nullptr) {
    std::vector<std::string_view> known;
    for (const ArrayMap& fixed : map_.fixed_arrays) known.push_back(fixed.path);
    throw Error(ErrorKind::usage, path(), fmt::format("has no array '{}'", array_path),
                known.empty() ? "it holds none" : fmt::format("it holds: {}", fmt::join(known, ", ")));
  }
  execute(plan_read(*array, whole(array->shape), store_), values);
}

layout::Store SeriesReader::recorded_store(const std::string& name) const {
  layout::Store store;
  const nlohmann::json rationale = nlohmann::json::parse(field(name).rationale, nullptr, false);
  const auto number = [&](const char* key, double fallback) {
    const auto found = rationale.is_object() ? rationale.find("store") : rationale.end();
    if (found == rationale.end() || !found->is_object()) return fallback;
    const auto value = found->find(key);
    return value != found->end() && value->is_number() && value->get<double>() > 0 ? value->get<double>() : fallback;
  };
  store.latency_s = number("latency_s", store.latency_s);
  store.bandwidth = number("bandwidth", store.bandwidth);
  return store;
}

}  // namespace weft
