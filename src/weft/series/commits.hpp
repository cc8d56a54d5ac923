// weft/series/commits.hpp - when a writer's steps come into the file before their window is full, and when they are on
// the disk: by age, by number, at flush() and close(), and when a batch system says that the end is near.
//
// What happens in a window is the strategy's; here it is only told when. Errors are agreed unless it says otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/series/commit_schedule.hpp"
#include "weft/series/durability.hpp"
#include "weft/series/series_spec.hpp"
#include "weft/series/write_strategy.hpp"
#include "weft/support/communicator.hpp"
#include "weft/support/end_signals.hpp"

namespace weft::series {

class Commits {
 public:
  // Which ranks bring what to the disk; the file lies at `lies_at`. Collective.
  Commits(Communicator& comm, const WriterOptions& options, const std::string& lies_at);

  // Whether this rank brings to the disk what it, or its client, has written. Not collective.
  bool syncs() const;
  // The durable slots that count. Not collective.
  std::vector<std::uint64_t> durable_slots(const storage::CommitGroups& groups) const;

  // Slots are in place, and the writer's epoch begins. The references outlive this. Not collective.
  void begin(storage::ByteStore& store, const storage::SeriesCatalog& catalog, const storage::CommitGroups& groups,
             std::uint64_t epoch);

  // After strategy.end_step(). `failure` is what this rank has to tell. True where the program is to end: all steps are
  // on the disk, and the series is to be closed. Collective now and then.
  bool after_step(WriteStrategy& strategy, const std::optional<Error>& failure, std::uint64_t next_step);

  // All steps come into the file and to the disk. Collective.
  void flush(WriteStrategy& strategy, const std::optional<Error>& failure);
  // The strategy is done, and all else is written: it comes to the disk, and nothing more is done behind. Collective.
  void finish();

  // What went wrong behind the computation, if anything did. Not collective.
  std::optional<Error> failure() const { return durability_ ? durability_->failure() : std::nullopt; }

 private:
  bool answer_signal(WriteStrategy& strategy, const std::optional<Error>& failure, std::uint64_t next_step);

  Communicator& comm_;
  Sync sync_;
  double sync_seconds_ = 0;
  std::vector<std::uint64_t> clients_;  // of all ranks: the first of each syncs for it; none where nobody syncs
  std::string path_;
  CommitSchedule schedule_;
  std::optional<EndSignals> signals_;
  std::unique_ptr<Durability> durability_;
};

}  // namespace weft::series
