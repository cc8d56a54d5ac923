// predict/series_shape.hpp - what a series is that is asked about: its fields, its ranks, its writer's options, and
// what the store makes of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "predict/surroundings.hpp"
#include "predict/workload.hpp"
#include "weft/partition/writers.hpp"
#include "weft/series/series_spec.hpp"

namespace weft::predict {

struct SeriesShape {
  std::vector<FieldSpec> fields;  // names, types, per_step, layouts
  std::size_t place_axes = 1;     // axes of per_step that say which node
  std::uint64_t steps = 1;
  std::uint64_t ranks = 1;
  std::uint64_t ranks_per_node = 0;                 // 0: one node has all of them
  std::optional<partition::WriterLimit> writers{};  // nothing: as the engine chooses
  std::uint64_t budget_bytes = WriterOptions{}.budget_bytes;
  std::uint64_t align_bytes = 0;
  std::uint64_t most_request_bytes = 8ULL << 20;  // 512 KiB through a page cache of this machine
  std::uint64_t direct_from_bytes = UINT64_MAX;   // a series of so many goes past the page cache
  std::uint64_t mesh_bytes = 0;                   // that are written when the file is made
  Requests mesh_requests{};
  std::uint64_t commit_groups = WriterOptions{}.commit_groups;
  double commit_seconds = WriterOptions{}.commit_seconds;
  bool syncs_windows = false;  // each of them, before it is committed
  bool syncs = false;          // when it is closed
  bool page_cache = false;     // what is written goes to one of this machine
  bool aligns = false;         // chunks begin at pages where align_bytes is 0
  // What a rank holds of a field's array, where that is known: messages are counted then (predict/series_messages).
  std::function<Box(const FieldSpec& field, std::uint64_t rank)> owned{};
};

// A series of these ranks on this store, which has no fields yet.
SeriesShape shape_on(const Surroundings& around);

// The bytes of the longest write on such a file system (storage/posix_store).
std::uint64_t most_request_bytes(const stores::StoreProfile& profile);

// The bytes of the shortest series that is written past the page cache (storage/flusher); UINT64_MAX where none is.
std::uint64_t direct_from_bytes(const stores::StoreProfile& profile);

// Whether the writer aligns chunks on such a file system where nobody asks it to.
bool aligns(const stores::StoreProfile& profile);

// Among what the work leaves out, where the file system has chunks aligned and nobody has said to what.
void say_alignment(bool file_system_aligns, std::uint64_t asked, Workload& work);

// Seconds until a writer with such a limit does something by its clock: half of the limit is for the write, and half
// for the sync (series/commits).
double clock_seconds(double commit_seconds);

// Among what the work leaves out, where the series is so long that its requests are not what the system is called for.
void say_past_the_cache(const SeriesShape& shape, Workload& work);

// Seconds of one snapshot, one trace, .., as each field's layout.access has it (three at most are named), and of all
// that its layout.reads expects.
std::pair<std::vector<std::pair<std::string, double>>, double> reads_of(const SeriesShape& shape);

}  // namespace weft::predict
