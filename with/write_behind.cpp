#include "with/write_behind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "weft/support/amount.hpp"
#include "weft/survey/box_copy.hpp"
#include "with/agreement.hpp"
#include "with/lane_writing.hpp"
#include "with/settings.hpp"

namespace weft::with {

namespace {

std::atomic<int> waiting_lanes{0};
std::uint64_t next_order = 1;

constexpr std::uint64_t kUsualWindow = 8ULL << 20U;
// Into a page cache nearby a write costs little more than its bytes; memory that was never used costs more. So windows
// are short there, as long as what they have of a chunk is not.
constexpr std::uint64_t kNearWindow = 2ULL << 20U;
constexpr std::uint64_t kNearRun = 32ULL << 10U;
// A step this long that is a row of chunks of its own is written as well as it can be.
constexpr std::uint64_t kLongStep = 8ULL << 20U;
// Such steps are tried so often; a call that takes no longer than this and their bytes at this speed is quick.
constexpr int kTrials = 3;
constexpr double kQuickCall = 300e-6;
constexpr double kMemorySpeed = 1e9;
// So many lanes of a step or two, and a dataset is not written step by step.
constexpr std::uint64_t kShortLanes = 24;

std::uint64_t depth_along(const OpenDataset& dataset, std::size_t axis) {
  return axis < dataset.chunk.size() ? dataset.chunk[axis] : 1;
}

// How many steps wait together from step `first` on: whole rows of chunks, where the budget has room for one.
std::uint64_t capacity_for(const OpenDataset& dataset, const Lane& lane, std::size_t axis, std::uint64_t first,
                           std::uint64_t all_lanes) {
  const std::uint64_t chunk_steps = depth_along(dataset, axis);
  const std::uint64_t lanes = all_lanes * (lane.direct ? 2 : 1);  // one window is filled while the other is written
  const std::uint64_t budget = settings().budget_bytes / std::max<std::uint64_t>(1, lanes);
  const std::uint64_t bytes = std::max<std::uint64_t>(1, lane.step_bytes);
  if (lane.direct && dataset.file->direct->is_near()) {
    const std::uint64_t steps = std::max<std::uint64_t>(1, std::min(kNearWindow, budget) / bytes);
    const std::uint64_t run = element_count(dataset.chunk) / chunk_steps * dataset.element_bytes;
    if (steps < chunk_steps && steps * std::min(run, bytes) >= kNearRun) return steps;
  }
  const std::uint64_t usual = std::min(kUsualWindow, budget);
  std::uint64_t steps = std::max<std::uint64_t>(1, usual / bytes / chunk_steps) * chunk_steps;
  if (steps > budget / bytes) return std::max<std::uint64_t>(1, budget / bytes);
  steps = std::min<std::uint64_t>(steps, 1U << 20U);
  return steps - std::min(steps - 1, first % chunk_steps);
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

// Whether a step that is a row of chunks of its own is worth a copy: not where it is long, nor where HDF5 writes it as
// fast as memory. The first steps pass through to see that.
bool gains(const Agreement& agreed, const Waiting::Side& side) {
  if (agreed.step_bytes >= kLongStep || side.trials < kTrials) return false;
  return agreed.trial_seconds > kQuickCall + static_cast<double>(agreed.step_bytes) / kMemorySpeed;
}

Offer offer_of(Library& library, const OpenDataset& dataset, const Waiting::Side& side, const WriteCall& call,
               double time) {
  Offer offer;
  offer.step = step_of(library, dataset, call);
  const bool something = offer.step && !offer.step->nothing();
  offer.element_bytes = something ? WEFT_CALL(library, H5Tget_size)(call.memory_type) : 0;
  offer.trial_seconds = side.trial_seconds;
  offer.waiting_lanes = static_cast<std::uint64_t>(waiting_lanes.load());
  for (const Lane& lane : side.lanes) {
    const StepWindow& window = lane.window;
    const bool next = something
                          ? window.fits(*offer.step, offer.step->index()) && (window.written() == 0 || lane.direct) &&
                                WEFT_CALL(library, H5Tequal)(lane.type, call.memory_type) > 0
                          : offer.step && window.nothing() && !window.full();
    offer.misfits.push_back(!next);
    offer.full = offer.full || window.full();
    offer.late = offer.late || (window.steps() > 0 && time - window.since() > settings().within_seconds);
  }
  return offer;
}

bool any_meets(const Waiting::Side& side, const Box& bounds) {
  return std::any_of(side.lanes.begin(), side.lanes.end(), [&](const Lane& lane) {
    Box waits = lane.bounds;
    waits.start[lane.window.axis()] = lane.from;
    waits.count[lane.window.axis()] = lane.next - lane.from;
    return !survey::is_empty(survey::common_part(waits, bounds));
  });
}

// Makes room for the steps after those of the window.
void restart(const OpenDataset& dataset, Lane& lane, std::uint64_t lanes) {
  const std::uint64_t next = lane.window.first() + lane.window.steps();
  lane.window.restart(next, capacity_for(dataset, lane, lane.window.axis(), next, lanes));
}

// Lanes of one dataset that are written directly go together: what one has of a chunk may lie between what another has.
herr_t write_direct_lanes(OpenDataset& dataset, Waiting::Side& side) {
  std::vector<Lane*> some;
  for (Lane& lane : side.lanes) {
    if (lane.direct && lane.window.written() < lane.window.steps()) some.push_back(&lane);
  }
  return some.empty() ? 0 : write_directly(dataset, some);
}

// After a step: a window that is full, or whose steps wait too long, is written; its memory serves the next. One that
// goes directly waits for its neighbours, which get the same step next.
herr_t after_step(OpenDataset& dataset, Waiting::Side& side, Lane& lane, const Agreement& agreed) {
  if (!lane.window.full() && !agreed.late) return 0;
  if (!lane.direct) {
    const bool collective = &side == &dataset.waiting.collective;
    const herr_t written = write_by_hdf5(dataset, lane, collective);
    restart(dataset, lane, agreed.lanes);
    return written;
  }
  const auto is_behind = [&](const Lane& other) {
    return other.direct && other.window.first() == lane.window.first() && !other.window.full() &&
           other.window.steps() + 1 == lane.window.steps();
  };
  if (!agreed.late && std::any_of(side.lanes.begin(), side.lanes.end(), is_behind)) return 0;
  const herr_t written = write_direct_lanes(dataset, side);
  for (Lane& other : side.lanes) {
    if (other.direct) restart(dataset, other, agreed.lanes);
  }
  return written;
}

}  // namespace

bool anything_waits() { return waiting_lanes > 0; }

void forget_what_waits() {
  forget_all_lanes();
  waiting_lanes = 0;
}

herr_t flush(OpenDataset& dataset, bool together) {
  herr_t all = 0;
  const auto note = [&](herr_t done) { all = done < 0 ? -1 : all; };
  for (Waiting::Side* side : {&dataset.waiting.independent, &dataset.waiting.collective}) {
    note(write_direct_lanes(dataset, *side));
    const bool shared = side == &dataset.waiting.collective;
    if (shared && !together) {
      // The others are not here, and take part later. HDF5 writes filtered chunks together or not at all.
      for (Lane& lane : side->lanes) {
        if (lane.direct) {
          restart(dataset, lane, side->lanes.size());
        } else if (dataset.filters == 0) {
          note(write_by_hdf5(dataset, lane, false));
          lane.window.wrote_own_part();
        }
      }
      continue;
    }
    while (!side->lanes.empty()) {
      if (!side->lanes.front().direct) note(write_by_hdf5(dataset, side->lanes.front(), shared));
      drop_first(dataset, *side);
    }
  }
  note(finish_direct(dataset));
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
  if (!dataset->file->can_wait || dataset->left_alone || side.given_up) return pass_through();

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
  if (depth_along(*dataset, agreed.axis) == 1 && !gains(agreed, side)) {
    if (side.trials == kTrials) {
      side.given_up = true;
    } else if (call.seconds != nullptr) {
      ++side.trials;
      *call.seconds = &side.trial_seconds;
    }
    return pass_through();
  }

  std::size_t place = agreed.lane;
  herr_t earlier = 0;
  if (place == Agreement::kNewLane) {
    const Box bounds = bounds_of(*offer.step, dataset->counters->shape.size(), ranks);
    // A part that shares elements with one that waits is written after it.
    const bool after_shared = any_meets(dataset->waiting.collective, bounds);
    const bool after_own = any_meets(dataset->waiting.independent, bounds);
    if (after_shared || agreed.full || side.lanes.size() >= kMostLanes || (after_own && !collective)) {
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
    const bool direct = offer.step->nothing()
                            ? dataset->file->direct != nullptr
                            : can_write_directly(library, *dataset, call.dataset, agreed.axis, call.memory_type);
    Lane lane;
    lane.direct = all_can(direct, ranks);
    lane.step_bytes = agreed.step_bytes;
    lane.type = WEFT_CALL(library, H5Tcopy)(call.memory_type);
    lane.bounds = bounds;
    lane.from = agreed.index;
    Step part = *offer.step;
    part.axis = agreed.axis;  // of a rank that selects nothing, too
    const std::uint64_t capacity = capacity_for(*dataset, lane, agreed.axis, agreed.index, agreed.lanes);
    lane.window = StepWindow(part, agreed.index, capacity, offer.element_bytes);
    side.lanes.push_back(std::move(lane));
    if (collective && dataset->waiting.order == 0) dataset->waiting.order = next_order++;
    ++waiting_lanes;
    place = side.lanes.size() - 1;
    say_how(*dataset, side.lanes.back());
  }
  Lane& lane = side.lanes[place];
  const bool copied = copy_step(library, call, *offer.step, lane.window);
  lane.window.added(time);
  lane.next = agreed.index + 1;
  ++lane.all_steps;
  const herr_t written = after_step(*dataset, side, lane, agreed);
  return copied && earlier >= 0 && written >= 0 ? 0 : -1;
}

}  // namespace weft::with
