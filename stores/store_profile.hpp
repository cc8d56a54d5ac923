// stores/store_profile.hpp - what requests cost on a file system, as a small JSON file.
//
// `weft probe` measures one; those of systems that nobody here can measure are written by hand from published figures.
// docs/probe.md has the format.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/layout/access_cost.hpp"

namespace weft::stores {

enum class Access : std::uint8_t { read, write };

// Which bytes the ranks ask for at the same time.
enum class Sharing : std::uint8_t {
  own_files,  // a file each
  apart,      // a part each of one file, far from the others'
  in_turn,    // one file: rank 0's bytes, rank 1's, ..., rank 0's again
  directly,   // apart, within a file that has its length: as a series writes where long writes past the page cache,
              // several at a time, are quicker (kWorthDirectAfar); shorter ones go through the cache
};

std::string_view name_of(Access access);
std::string_view name_of(Sharing sharing);

// Requests of one size, from several ranks and threads at once.
struct RequestCell {
  Access access = Access::read;
  Sharing sharing = Sharing::own_files;
  std::uint64_t bytes = 0;  // of a request
  int ranks = 1;
  int threads = 1;      // of each rank
  bool cached = false;  // of reads: the bytes are in the client's memory

  std::uint64_t requests = 0;  // that were measured
  double request_s = 0;        // of one request, as its rank sees it: the median
  double late_s = 0;           // 95 % are quicker
  double bytes_per_s = 0;      // of all ranks together: the median of the passes, or the mean of a few requests
  double least_bytes_per_s = 0;
  double most_bytes_per_s = 0;
};

// Whether both are of the same measurement, whatever it found.
bool same_request(const RequestCell& one, const RequestCell& other);

// Calls on small files: create, stat, open, remove, and make (create one, write a page, close it); reserve (room for a
// MiB, fallocate) and sync (of one written page). Names of two words are those of libraries (predict/layers.hpp): what
// "mpi round" or "series create" cost beyond their requests.
struct CallCell {
  std::string call;
  int ranks = 1;
  double call_s = 0;       // the median
  double calls_per_s = 0;  // of all ranks together
};

struct Striping {
  std::uint64_t bytes = 0;  // 0: not known
  std::uint64_t count = 0;
  std::string known_from{};  // "lustre.lov", "ceph.file.layout", ...
};

struct StoreProfile {
  std::string name;
  std::string file_system;  // as the mount names it
  std::string taken;        // the day; or where the figures are from
  int ranks = 1;            // that measured it
  int nodes = 1;
  int cores = 0;  // of a node; 0: not known
  Striping striping;
  std::uint64_t block_bytes = 0;  // that the file system asks buffers to be of (st_blksize); 0: not known
  std::vector<RequestCell> requests;
  std::vector<CallCell> calls;
  double sync_bytes_per_s = 0;            // of data that were written and not synced
  double sync_records_bytes_per_s = 0;    // the same of records that are no whole pages; 0: not known
  double copy_bytes_per_s = 0;            // in memory, by one rank
  std::map<std::string, double> rates{};  // bytes a second of other work (predict/rates.hpp): "format", ...

  // For plans of reads (layout::AccessCost): a request of few bytes, and what more bytes cost, of one rank that has
  // nothing in its memory. Throws Error(data) where the profile has no such requests.
  layout::AccessCost read_cost() const;
  // Writers beyond which more bring less than a tenth; of those that were tried.
  int enough_writers() const;
};

nlohmann::ordered_json to_json(const StoreProfile& profile);
// Throws Error(data), with what is wrong.
StoreProfile profile_from_json(const nlohmann::ordered_json& json, const std::string& where);
// Throws Error(system) and Error(data).
StoreProfile read_profile(const std::string& path);

}  // namespace weft::stores
