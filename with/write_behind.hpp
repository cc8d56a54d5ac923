// with/write_behind.hpp - steps that a program writes one at a time, gathered and written together.
//
// A call of H5Dwrite() that takes one index along some axis, and a box of the others, is a step. Steps of the same box
// that follow each other are copied and wait, in windows that end where a row of chunks ends; the call returns. A
// window is written by one H5Dwrite() of all of it, and HDF5 makes of it what it would have made of the steps, filters
// and type conversions included; or, where ranks share a file without filters, straight into its chunks
// (with/direct_file.hpp).
//
// Whatever could see the difference comes after a flush: reads of the dataset, H5Fflush(), a smaller extent, every
// question about where it lies, H5Fclose(). A call that is no such step flushes what waits of its dataset and then
// passes through, so the order of writes is the program's wherever they meet.
//
// Collective calls need one answer on all ranks, whether a call waits or not: each agrees on it by one MPI_Allreduce()
// of a few numbers, and a window is written by a collective call. Independent calls are a rank's own business. What an
// independent read sees of *other* ranks' writes is what MPI-IO promises without atomic mode: what was flushed.
#pragma once

#include <cstdint>
#include <optional>

#include "with/dataset.hpp"
#include "with/write_call.hpp"

namespace weft::with {

// What H5Dwrite() is to return where the call was taken: its values wait. nullopt where it has to pass through; what
// waits of the dataset has then been written. Below 0 where writing an earlier window failed.
std::optional<herr_t> write_behind(Library& library, const WriteCall& call);

// Writes what waits, of one dataset, one file or the whole library. `together`: all ranks of the file are here; else a
// rank writes its own part, and takes part in the collective write later. 0, or below where a write failed.
herr_t flush(OpenDataset& dataset, bool together);
herr_t flush_file(Library& library, unsigned long file, bool together);
herr_t flush_all(Library& library, bool together);

// Flushes and gives back the identifiers that are held, so that the file can be closed.
herr_t release(OpenDataset& dataset, bool together);
herr_t release_file(Library& library, unsigned long file);
herr_t release_all(Library& library);

// True where anything waits, in the whole process: a quick question.
bool anything_waits();

// A child of fork() has none of it: its parent writes it.
void forget_what_waits();

}  // namespace weft::with
