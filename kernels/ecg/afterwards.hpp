// kernels/ecg/afterwards.hpp - what comes after a run, as the paper's code does it (its DataConv and PostProc), timed.
//
// Conversion: step after step, every rank reads its nodes of the step and writes a piece of a .vtu file. Then
// post-processing: node after node, every rank reads all times of its nodes, and makes maps. Both read through HDF5's
// POSIX driver and chunk cache (kernels/ecg/plain_file.hpp), which each of them begins with empty.
//
// In favour of the older ways, wherever there was a choice: the file has just been written, so that its bytes come out
// of the page cache where there is memory for them; all values of a step's node are read together, and all quantities
// from one reading; the files of the conversion are written by Weft's own converter, and unless they are kept each is
// removed when it is whole, so that most of their bytes never travel to the disk. Against them: a file for every step
// has the mesh in it, which is most of its bytes. The paper's code writes one file (or one a rank) with an array for
// every step; `reading_seconds` are what the layout of the dataset has a part in.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "kernels/io/kernel_run.hpp"
#include "weft/reduce/quantity.hpp"
#include "weft/support/communicator.hpp"

namespace weft::kernels::ecg {

struct Afterwards {
  // A choice: the paper names no size. 128 MiB hold 128 of its chunks of 1 MiB; the 40 that each of its processes has
  // to do with fit. Where a rank's nodes lie in more, the conversion reads all of them again for every step: 400,000
  // nodes on 2 ranks are 461 chunks of 151 x 434 x 2 a rank, and want 512 MiB.
  std::uint64_t cache_bytes = 128ULL << 20;
  bool keep = false;          // the files of the conversion
  reduce::Settings settings;  // of the maps
};

// Throws Error(usage) where a setting makes no sense; for before the run.
void check_afterwards(const Afterwards& afterwards);

// Does both with the finished file `path`, into the folder PATH.afterwards. Returns, on every rank: way, folder,
// cache_bytes, chunks_in_cache (0: the cache is bypassed), conversion{seconds, reading_seconds, reads, bytes_read,
// files, bytes, steps, kept, out}, post_processing{seconds, reading_seconds, reads, bytes_read, nodes, field,
// quantities, maps, most_beats, nodes_with_more_beats_than_rows}. Seconds are the slowest rank's, reading_seconds those
// spent in H5Dread; counts are sums over the ranks. Collective; throws agreed errors.
nlohmann::json do_afterwards(Communicator& comm, const std::string& path, const Afterwards& afterwards, bool progress);

// The report's lines, as people read them.
void tell_afterwards(const nlohmann::json& report, const TellLine& line);

}  // namespace weft::kernels::ecg
