// kernels/hard/hard_kernel.hpp - the two patterns between which IO500 (io500.org) tells file systems apart: small
// records of all ranks in turn in one shared file (ior-hard), and a file a rank in large writes (ior-easy).
//
// A record is 47,008 bytes, which no stripe and no page is a multiple of. Record r of rank k of P lies r P + k records
// behind the beginning: every rank writes between its neighbours, all the time. Both patterns have the same bytes, so
// that their times can be divided.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "kernels/io/kernel_plan.hpp"
#include "kernels/io/kernel_run.hpp"

namespace weft::kernels::hard {

enum class HardStrategy {
  files,       // the easy twin: a file a rank, written from one end to the other
  raw,         // each record by a positioned write, as IOR's POSIX does it
  collective,  // each record by MPI_File_write_at_all
  hdf5,        // each record by a collective H5Dwrite
  series,      // Weft's writer: a record is what a rank has of a step
};

std::string_view name_of(HardStrategy strategy);
// Throws Error(usage).
HardStrategy parse_hard_strategy(std::string_view text);

struct HardOptions {
  HardStrategy strategy = HardStrategy::series;
  std::uint64_t records = 2000;               // of a rank, in a phase
  std::uint64_t record_bytes = 47'008;        // a multiple of 8
  std::uint64_t transfer_bytes = 2ULL << 20;  // of a write of `files`
  std::string reads = "snapshot=1,trace=1";   // that the chunks of `series` are for
  bool sync = false;                          // the phase ends when everything is on the disk
};

// The files of a phase; `out` is the folder.
std::string rank_file(const std::string& out, std::uint64_t phase, std::uint64_t rank);
std::string shared_file(const std::string& out, std::uint64_t phase, HardStrategy strategy);

// Pure: what so many ranks would do. Throws Error(usage) for options that cannot be.
KernelPlan plan_hard(const HardOptions& options, const RunOptions& run, std::uint64_t ranks);

// Collective. A phase is all records, in files of its own.
nlohmann::ordered_json run_hard(MpiCommunicator& comm, const RunOptions& run, const HardOptions& options);

}  // namespace weft::kernels::hard
