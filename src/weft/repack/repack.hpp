// weft/repack/repack.hpp - a file written anew, its datasets in chunks that suit the reads.
//
// Everything else in the file is kept (repack/skeleton.hpp). The new file has its name only when it is whole: it is
// written as OUT.weft-part beside it, and renamed. The original is only ever read.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "weft/layout/access_cost.hpp"
#include "weft/repack/regions.hpp"
#include "weft/support/communicator.hpp"
#include "weft/survey/known_axes.hpp"
#include "weft/survey/survey.hpp"

namespace weft::repack {

struct RepackPlan;

// As page_bytes of a request: what suits the file.
inline constexpr std::uint64_t kPagesThatSuit = std::numeric_limits<std::uint64_t>::max();

struct RepackRequest {
  std::string in;
  std::string out;  // the same as `in` only with in_place
  bool in_place = false;
  bool overwrite = false;             // `out` may be there already
  bool take_over = false;             // `out`, from a writer of which nobody knows whether it lives
  std::vector<std::string> datasets;  // which are laid out anew; empty: those with steps (survey/known_axes.hpp)
  std::string axes;                   // of all of them; empty: as recognised
  std::string reads = "snapshot=1,trace=1";
  std::uint64_t ranks_of_a_block = 0;  // for a read called `block`
  std::uint64_t target_bytes = 1ULL << 20;
  layout::AccessCost access{};              // that it will be read from
  std::string filter = "keep";              // or what storage::parse_filters takes
  std::uint64_t budget_bytes = 1ULL << 30;  // of memory, a rank
  int jobs = 0;                             // threads a rank; 0: one a core
  bool checksums = false;                   // of every chunk (survey/checksums.hpp)
  // Metadata and data in pages of their own (repack/paging.hpp), for object stores: of so many bytes. Nothing: as in
  // `in`.
  std::optional<std::uint64_t> page_bytes{};
  bool without_pages = false;                                          // though `in` has them
  std::function<void(std::uint64_t done, std::uint64_t of)> progress;  // bytes of elements, on every rank
  std::function<void(const std::string&)> announce;                    // lines worth knowing before they happen
  // Called on every rank when the group has the new file's lock: what a process that dies leaves, and may remove.
  std::function<void(const std::vector<std::string>& files)> makes;
  std::function<void(const RepackPlan&)> planned;  // on every rank, before anything is moved
  std::function<bool()> stopped;                   // asked often; true ends it with an error
  std::function<void(bool)> working;               // whether it works now, or waits for others
};

// Threads a rank: `jobs`, or one a core.
int worker_count(const RepackRequest& request);

// A dataset that is laid out anew.
struct Chosen {
  survey::DatasetFacts facts;
  survey::KnownAxes axes;
  Shape chunk;
  std::string rationale;  // why that chunk, as JSON (layout/design.hpp)
  std::vector<storage::Filter> filters;
  bool direct_source = false;  // read straight from the file, by any thread
  bool direct_target = false;  // written straight to the file
  MovePlan plan;
};

struct RepackPlan {
  survey::Survey survey;
  std::vector<Chosen> chosen;
  std::vector<std::string> kept_because;  // "NAME: why it is not laid out anew", for those that were candidates
  std::uint64_t page_bytes = 0;           // of the new file, where it was asked to have pages

  std::uint64_t bytes() const;  // of the elements that will be moved
};

// What repack() would do. Not collective; reads metadata alone, again where somebody changes them meanwhile. Throws
// Error(usage) for what cannot be asked of this file, Error(data) for a filter that nothing here can undo.
RepackPlan plan_repack(const RepackRequest& request);
// The same of a file that nobody may change meanwhile.
RepackPlan plan_repack_of_locked(const RepackRequest& request);

struct RepackReport {
  struct Dataset {
    std::uint64_t stored_before = 0;
    std::uint64_t stored_after = 0;
    double seconds = 0;
  };
  RepackPlan plan;                // on every rank
  std::vector<Dataset> datasets;  // as plan.chosen
  std::uint64_t copied_datasets = 0;
  std::uint64_t lost_references = 0;
  std::uint64_t file_bytes_before = 0;
  std::uint64_t file_bytes_after = 0;
  double seconds = 0;
};

// Collective: the ranks share the work, rank 0 alone makes HDF5's calls for the new file. What is written is locked
// first, and planned then. The report is rank 0's. Where it throws, `out` is as it was and no part of a new one is
// left; so it does where `in` has been changed meanwhile.
RepackReport repack(Communicator& comm, const RepackRequest& request);

}  // namespace weft::repack
