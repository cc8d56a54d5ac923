#include "with/write_behind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <map>
#include <new>

#include "weft/support/amount.hpp"
#include "with/agreement.hpp"
#include "with/closing.hpp"
#include "with/settings.hpp"

namespace weft::with {

namespace {

std::atomic<int> waiting_lanes{0};
std::uint64_t next_order = 1;

constexpr std::uint64_t kUsualWindow = 64ULL << 20U;
// A step this long that is a row of chunks of its own is written as well as it can be.
constexpr std::uint64_t kLongStep = 8ULL << 20U;
// So many lanes of a step or two, and a dataset is not written step by step.
constexpr std::uint64_t kShortLanes = 24;

// The transfer lists that flushes use: of a library, independent and collective.
hid_t transfer_list(Library& library, bool collective) {
  static auto* lists = new std::map<std::pair<Library*, bool>, hid_t>;
  const auto known = lists->find({&library, collective});
  if (known != lists->end()) return known->second;
  const hid_t kind = library.property_class("H5P_CLS_DATASET_XFER_ID_g", "data transfer");
  const hid_t list = kind < 0 ? -1 : WEFT_CALL(library, H5Pcreate)(kind);
  if (collective && list > 0) {
    using Set = herr_t (*)(hid_t, int);
    if (auto* set = reinterpret_cast<Set>(library.find_by_name("H5Pset_dxpl_mpio"))) set(list, 1);
  }
  return (*lists)[{&library, collective}] = list;
}

// Nothing in it changes values on their way.
bool is_plain_transfer(Library& library, hid_t transfer) {
  if (transfer == H5P_DEFAULT) return true;
  for (const bool collective : {false, true}) {
    const hid_t list = transfer_list(library, collective);
    if (list >= 0 && WEFT_CALL(library, H5Pequal)(transfer, list) > 0) return true;
  }
  using Transform = ssize_t (*)(hid_t, char*, size_t);
  using Convert = herr_t (*)(hid_t, void*, void**);
  auto* transform = reinterpret_cast<Transform>(library.find_by_name("H5Pget_data_transform"));
  auto* convert = reinterpret_cast<Convert>(library.find_by_name("H5Pget_type_conv_cb"));
  if (transform == nullptr || convert == nullptr) return false;
  const Quiet quiet(library);
  void* function = nullptr;
  void* data = nullptr;
  return transform(transfer, nullptr, 0) <= 0 && convert(transfer, &function, &data) >= 0 && function == nullptr;
}

// Values of this type in memory can be copied, and mean the same later.
bool is_plain_type(Library& library, hid_t type) {
  const auto has = [&](H5T_class_t kind) { return WEFT_CALL(library, H5Tdetect_class)(type, kind) > 0; };
  return !has(H5T_VLEN) && !has(H5T_REFERENCE) && !has(H5T_STRING);
}

// The step that a call writes; nullopt where it is none that may wait.
std::optional<Step> step_of(Library& library, const OpenDataset& dataset, const WriteCall& call) {
  if (!dataset.plain_values || dataset.is_virtual || call.values == nullptr || call.file_space == H5S_ALL) {
    return std::nullopt;
  }
  if (transfer_list(library, false) < 0 || transfer_list(library, true) < 0) return std::nullopt;
  const Closing space(WEFT_CALL(library, H5Dget_space)(call.dataset), WEFT_CALL(library, H5Sclose));
  const auto shape = extents(library, space.id());
  const auto asked = extents(library, call.file_space);
  if (!shape || asked != shape || !is_plain_type(library, call.memory_type) ||
      !is_plain_transfer(library, call.transfer)) {
    return std::nullopt;
  }
  const Selection selection = selection_of(library, call.file_space, *shape);
  if (selection.kind == Selection::Kind::none) return Step{};
  if (selection.kind != Selection::Kind::box) return std::nullopt;
  for (std::size_t axis = 0; axis < shape->size(); ++axis) {
    if (selection.box.start[axis] + selection.box.count[axis] > (*shape)[axis]) return std::nullopt;
  }
  const std::size_t axis = step_axis_of(selection.box, *shape);
  if (axis >= shape->size()) return std::nullopt;
  const hid_t memory = call.memory_space == H5S_ALL ? call.file_space : call.memory_space;
  const hssize_t elements = WEFT_CALL(library, H5Sget_select_npoints)(memory);
  if (elements < 0 || static_cast<std::uint64_t>(elements) != selection.elements) return std::nullopt;
  return Step{axis, selection.box};
}

// Copies the values of a step to where they wait.
bool copy(Library& library, const WriteCall& call, const Step& step, StepWindow& window) {
  if (step.nothing()) return true;
  const auto* values = static_cast<const std::byte*>(call.values);
  const hid_t memory = call.memory_space == H5S_ALL ? call.file_space : call.memory_space;
  const std::uint64_t bytes = window.step_bytes();
  if (call.memory_space != H5S_ALL) {
    const auto shape = extents(library, memory);
    if (shape) {
      const Selection selection = selection_of(library, memory, *shape);
      if (selection.kind == Selection::Kind::box && selection.box.count == *shape) {
        window.put(values);
        return true;
      }
    }
  }
  // HDF5 collects what is selected, in the order of the selection; straight to its place where it is one run.
  if (window.runs() == 1) {
    return WEFT_CALL(library, H5Dgather)(memory, values, call.memory_type, bytes, window.next(), nullptr, nullptr) >= 0;
  }
  std::vector<std::byte> collected(bytes);
  if (WEFT_CALL(library, H5Dgather)(memory, values, call.memory_type, bytes, collected.data(), nullptr, nullptr) < 0) {
    return false;
  }
  window.put(collected.data());
  return true;
}

// How many steps wait together from step `first` on: whole rows of chunks, where the budget has room for one.
std::uint64_t capacity_for(std::uint64_t step_bytes, std::uint64_t chunk_steps, std::uint64_t first,
                           std::uint64_t lanes) {
  const std::uint64_t budget = settings().budget_bytes / std::max<std::uint64_t>(1, lanes);
  const std::uint64_t bytes = std::max<std::uint64_t>(1, step_bytes);
  const std::uint64_t usual = std::min(kUsualWindow, budget);
  std::uint64_t steps = std::max<std::uint64_t>(1, usual / bytes / chunk_steps) * chunk_steps;
  if (steps > budget / bytes) return std::max<std::uint64_t>(1, budget / bytes);
  steps = std::min<std::uint64_t>(steps, 1U << 20U);
  return steps - std::min(steps - 1, first % chunk_steps);
}

herr_t write_lane(OpenDataset& dataset, Lane& lane, bool together) {
  Library& library = *dataset.library;
  const bool nothing = lane.window.nothing() || lane.window.written() == lane.window.steps();
  if (nothing && !together) return 0;
  if (lane.window.steps() == 0) return 0;
  const hid_t held = dataset.waiting.held;
  const Closing file_space(WEFT_CALL(library, H5Dget_space)(held), WEFT_CALL(library, H5Sclose));
  const hsize_t one = 1;
  const Shape shape = nothing ? Shape{one} : lane.window.memory_shape();
  const std::vector<hsize_t> memory_shape(shape.begin(), shape.end());
  const Closing memory_space(
      WEFT_CALL(library, H5Screate_simple)(static_cast<int>(shape.size()), memory_shape.data(), nullptr),
      WEFT_CALL(library, H5Sclose));
  const auto select = [&](hid_t space, const Box& box) {
    const std::vector<hsize_t> start(box.start.begin(), box.start.end());
    const std::vector<hsize_t> count(box.count.begin(), box.count.end());
    return WEFT_CALL(library, H5Sselect_hyperslab)(space, H5S_SELECT_SET, start.data(), nullptr, count.data(),
                                                   nullptr) >= 0;
  };
  bool selected = file_space.valid() && memory_space.valid();
  if (nothing) {
    selected = selected && WEFT_CALL(library, H5Sselect_none)(file_space.id()) >= 0 &&
               WEFT_CALL(library, H5Sselect_none)(memory_space.id()) >= 0;
  } else {
    selected = selected && select(file_space.id(), lane.window.filled()) &&
               select(memory_space.id(), lane.window.memory_box());
  }
  if (!selected) return -1;
  DatasetCounters& counters = *dataset.counters;
  Kind& kind = counters.writes[Access::snapshot];
  const double begin = now();
  herr_t written = -1;
  {
    const Counting counting(settings().watch ? &kind.requests : nullptr);
    const std::byte none{};
    written = WEFT_CALL(library, H5Dwrite)(held, lane.type, memory_space.id(), file_space.id(),
                                           transfer_list(library, together), nothing ? &none : lane.window.data());
  }
  kind.seconds += now() - begin;
  counters.gathered_steps += lane.window.steps() - lane.window.written();
  ++counters.gathered_writes;
  if (written < 0) {
    say(fmt::format("{}{}: steps that waited could not be written; HDF5 says above why", dataset.file->name,
                    dataset.path));
  }
  return written;
}

void drop_first(OpenDataset& dataset, Waiting::Side& side) {
  Lane& lane = side.lanes.front();
  if (lane.all_steps <= 2) ++side.short_lanes;
  WEFT_CALL(*dataset.library, H5Tclose)(lane.type);
  side.lanes.erase(side.lanes.begin());
  --waiting_lanes;
}

// Keeps the dataset open, whatever the program closes.
bool hold(OpenDataset& dataset, hid_t id) {
  if (dataset.waiting.held >= 0) return true;
  if (WEFT_CALL(*dataset.library, H5Iinc_ref)(id) < 0) return false;
  dataset.waiting.held = id;
  return true;
}

void say_how(OpenDataset& dataset, const Lane& lane) {
  if (dataset.counters->told) return;
  dataset.counters->told = true;
  say(fmt::format("{}: {} steps of {} are gathered and written together", dataset.path,
                  format_count(lane.window.capacity()), format_bytes(lane.window.step_bytes())));
}

void say_not(OpenDataset& dataset) {
  if (dataset.counters->told) return;
  dataset.counters->told = true;
  say(fmt::format("{}: is not written a step at a time along one axis, and passes through as it is", dataset.path));
}

std::uint64_t depth_along(const OpenDataset& dataset, std::size_t axis) {
  return axis < dataset.chunk.size() ? dataset.chunk[axis] : 1;
}

Offer offer_of(Library& library, const OpenDataset& dataset, const Waiting::Side& side, const WriteCall& call,
               double time) {
  Offer offer;
  offer.step = step_of(library, dataset, call);
  const bool something = offer.step && !offer.step->nothing();
  offer.element_bytes = something ? WEFT_CALL(library, H5Tget_size)(call.memory_type) : 0;
  offer.waiting_lanes = static_cast<std::uint64_t>(waiting_lanes.load());
  for (const Lane& lane : side.lanes) {
    const StepWindow& window = lane.window;
    const bool next = something ? window.fits(*offer.step, offer.step->index()) && window.written() == 0 &&
                                      WEFT_CALL(library, H5Tequal)(lane.type, call.memory_type) > 0
                                : offer.step && window.nothing() && !window.full();
    offer.misfits.push_back(!next);
    offer.late = offer.late || (window.steps() > 0 && time - window.since() > settings().within_seconds);
  }
  return offer;
}

bool any_meets(const Waiting::Side& side, const Box& bounds) {
  return std::any_of(side.lanes.begin(), side.lanes.end(), [&](const Lane& lane) {
    if (lane.bounds.count.empty() || lane.window.steps() == 0) return false;
    Box waits = lane.bounds;
    waits.start[lane.window.axis()] = lane.window.first();
    waits.count[lane.window.axis()] = lane.window.steps();
    return boxes_meet(waits, bounds);
  });
}

// A window that is full, or whose steps wait too long, is written; its memory serves the next.
herr_t after_step(OpenDataset& dataset, Lane& lane, bool collective, const Agreement& agreed) {
  if (!lane.window.full() && !agreed.late) return 0;
  const herr_t written = write_lane(dataset, lane, collective);
  const std::uint64_t next = agreed.index + 1;
  lane.window.restart(next,
                      capacity_for(agreed.step_bytes, depth_along(dataset, agreed.axis), next, agreed.lanes));
  return written;
}

}  // namespace

bool anything_waits() { return waiting_lanes > 0; }

void forget_what_waits() {
  forget_all_lanes();
  waiting_lanes = 0;
}

bool is_collective(Library& library, hid_t transfer) {
  if (transfer == H5P_DEFAULT) return false;
  using Get = herr_t (*)(hid_t, int*);
  auto* get = reinterpret_cast<Get>(library.find_by_name("H5Pget_dxpl_mpio"));
  int mode = 0;
  return get != nullptr && get(transfer, &mode) >= 0 && mode == 1;
}

herr_t flush(OpenDataset& dataset, bool together) {
  herr_t all = 0;
  Waiting::Side& own = dataset.waiting.independent;
  while (!own.lanes.empty()) {
    if (write_lane(dataset, own.lanes.front(), false) < 0) all = -1;
    drop_first(dataset, own);
  }
  Waiting::Side& shared = dataset.waiting.collective;
  if (!together) {
    // The others are not here, and take part later. HDF5 writes filtered chunks together or not at all.
    for (Lane& lane : shared.lanes) {
      if (dataset.filters > 0) break;
      if (write_lane(dataset, lane, false) < 0) all = -1;
      lane.window.wrote_own_part();
    }
    return all;
  }
  while (!shared.lanes.empty()) {
    if (write_lane(dataset, shared.lanes.front(), true) < 0) all = -1;
    drop_first(dataset, shared);
  }
  return all;
}

herr_t release(OpenDataset& dataset, bool together) {
  const herr_t flushed = flush(dataset, together);
  const hid_t held = dataset.waiting.held;
  if (held < 0 || !dataset.waiting.empty()) return flushed;
  dataset.waiting.held = -1;
  dataset.waiting.order = 0;
  Library& library = *dataset.library;
  if (WEFT_CALL(library, H5Idec_ref)(held) <= 0) forget(library, held);  // the program had closed it
  return flushed;
}

namespace {

template <class Act>
herr_t for_each_waiting(Library& library, std::optional<unsigned long> file, Act act) {
  if (!anything_waits() && !file) return 0;
  const std::lock_guard lock(gate());
  const Inside inside;
  herr_t all = 0;
  for (const auto& dataset : waiting_in(library, file)) {
    if (act(*dataset) < 0) all = -1;
  }
  return all;
}

}  // namespace

herr_t flush_file(Library& library, unsigned long file, bool together) {
  return for_each_waiting(library, file, [&](OpenDataset& dataset) { return flush(dataset, together); });
}

herr_t flush_all(Library& library, bool together) {
  return for_each_waiting(library, std::nullopt, [&](OpenDataset& dataset) { return flush(dataset, together); });
}

herr_t release_file(Library& library, unsigned long file) {
  return for_each_waiting(library, file, [&](OpenDataset& dataset) { return release(dataset, true); });
}

herr_t release_all(Library& library) {
  return for_each_waiting(library, std::nullopt, [&](OpenDataset& dataset) { return release(dataset, true); });
}

std::optional<herr_t> write_behind(Library& library, const WriteCall& call) {
  const std::lock_guard lock(gate());
  const Inside inside;
  const std::shared_ptr<OpenDataset> dataset = dataset_of(library, call.dataset);
  if (!dataset || !dataset->file) return std::nullopt;
  const bool collective = dataset->file->through_mpi && is_collective(library, call.transfer);
  const bool together = collective || !dataset->file->through_mpi;
  Waiting::Side& side = collective ? dataset->waiting.collective : dataset->waiting.independent;
  const auto pass_through = [&]() -> std::optional<herr_t> {
    if (flush(*dataset, together) < 0) return -1;
    return std::nullopt;
  };
  if (!dataset->file->can_wait || side.given_up) return pass_through();

  // What one rank sees; then what all do.
  const double time = now();
  const Offer offer = offer_of(library, *dataset, side, call, time);
  const Ranks* ranks = collective ? dataset->file->ranks.get() : nullptr;
  const Agreement agreed = agree(offer, ranks);
  if (agreed.nothing_at_all) return std::nullopt;
  if (!agreed.is_step) {
    if (call.file_space != H5S_ALL && dataset->counters->shape.size() > 1) say_not(*dataset);
    return pass_through();
  }
  if (depth_along(*dataset, agreed.axis) == 1 && agreed.step_bytes >= kLongStep) return pass_through();

  std::size_t place = agreed.lane;
  herr_t earlier = 0;
  if (place == Agreement::kNewLane) {
    const Box bounds = bounds_of(*offer.step, dataset->counters->shape.size(), ranks);
    // A part that shares elements with one that waits is written after it.
    const bool after_shared = any_meets(dataset->waiting.collective, bounds);
    const bool after_own = any_meets(dataset->waiting.independent, bounds);
    if (after_shared || side.lanes.size() >= kMostLanes || (after_own && !collective)) {
      earlier = flush(*dataset, together);
    } else if (after_own) {
      earlier = flush(*dataset, false);
    }
    if (side.short_lanes >= kShortLanes) {
      side.given_up = true;
      say_not(*dataset);
      return pass_through();
    }
    if (!hold(*dataset, call.dataset)) return pass_through();
    const std::uint64_t capacity =
        capacity_for(agreed.step_bytes, depth_along(*dataset, agreed.axis), agreed.index, agreed.lanes);
    Step part = *offer.step;
    part.axis = agreed.axis;  // of a rank that selects nothing, too
    side.lanes.push_back({StepWindow(part, agreed.index, capacity, offer.element_bytes),
                          WEFT_CALL(library, H5Tcopy)(call.memory_type), bounds});
    if (collective && dataset->waiting.order == 0) dataset->waiting.order = next_order++;
    ++waiting_lanes;
    place = side.lanes.size() - 1;
    say_how(*dataset, side.lanes.back());
  }
  Lane& lane = side.lanes[place];
  const bool copied = copy(library, call, *offer.step, lane.window);
  lane.window.added(time);
  ++lane.all_steps;
  const herr_t written = after_step(*dataset, lane, collective, agreed);
  return copied && earlier >= 0 && written >= 0 ? 0 : -1;
}

}  // namespace weft::with
