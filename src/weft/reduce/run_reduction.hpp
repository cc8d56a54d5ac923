// weft/reduce/run_reduction.hpp - quantities over time of every node, finished when the run ends.
//
//   auto maps = std::make_shared<weft::reduce::RunReduction>(
//       weft::reduce::RunReductionSpec{.field = "V", .quantities =
//       weft::reduce::parse_quantities("activation_time,apd_90")});
//   spec.observers.push_back(maps);                       // before create_series(); nothing else changes
//
// Every rank looks at the tiles it writes, window by window, while they are in memory. When the series is closed the
// maps are in the file: /maps/V/activation_time, (beats, nodes) or (nodes), and /maps/V/beats, how many beats a node
// has, those beyond the rows too. Their attribute `steps` is how many steps they are of; until close() they read as the
// fill value and `steps` is 0.
//
// State is bounded: at most half of WriterOptions::budget_bytes. Nodes it does not suffice for
// (reduce/running_beats.hpp says which), and all nodes where steps were written by an earlier run or by a strategy that
// holds no windows, are reduced from the file in close(); report() says how many. Either way the maps are, bit for bit,
// those of reduce_file().
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "weft/reduce/field_choice.hpp"
#include "weft/reduce/quantity.hpp"
#include "weft/reduce/running_quantity.hpp"
#include "weft/series/window_observer.hpp"

#pragma GCC visibility push(default)

namespace weft::reduce {

struct RunReductionSpec {
  std::string field;                                          // as choose_field() takes it
  std::vector<Quantity> quantities{};                         // as parse_quantities() makes them
  std::vector<std::shared_ptr<const RunningQuantity>> own{};  // maps of (nodes)
  Settings settings{};
  double fill = std::numeric_limits<double>::quiet_NaN();  // where a node has no such value
};

struct RunReductionReport {
  std::string folder;  // of the maps in the file: "/maps/V"
  std::uint64_t nodes = 0;
  std::uint64_t from_file = 0;    // of them, reduced from the file
  std::uint64_t most_beats = 0;   // of a node
  std::uint64_t beyond_rows = 0;  // nodes that have more beats than rows
  double watching_seconds = 0;    // of the slowest rank, while the series was written
  double finishing_seconds = 0;   // in close()
};

class RunReduction final : public series::WindowObserver {
 public:
  // Throws Error(usage) where there is nothing to reduce, or a setting makes no sense.
  explicit RunReduction(RunReductionSpec spec);
  ~RunReduction() override;

  // Complete, and the same on all ranks, after SeriesWriter::close().
  const RunReductionReport& report() const;

  std::vector<storage::FixedArrayPlan> arrays(const SeriesSpec& spec) override;
  storage::ObjectPlan objects(const storage::SeriesCatalog& catalog) const override;
  std::size_t field(const storage::SeriesCatalog& catalog) const override;
  std::uint64_t start(const series::WatchedField& field, std::uint64_t allowance) override;
  void see_part(std::size_t slot, std::uint64_t step, std::uint64_t offset, std::span<const std::byte> values) override;
  void see(const series::WatchedWindow& window) override;
  void finish(Communicator& comm, const storage::SeriesCatalog& catalog, storage::ByteStore& store,
              std::uint64_t steps) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft::reduce

#pragma GCC visibility pop
