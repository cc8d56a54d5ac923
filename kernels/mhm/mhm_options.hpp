// kernels/mhm/mhm_options.hpp - what a run of mhm is asked to do. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/io/kernel_run.hpp"
#include "kernels/mhm/mhm_shape.hpp"

namespace weft::kernels::mhm {

enum class MhmStrategy : std::uint8_t {
  files,              // a file for every problem, a formatted write for every value: the original
  files_buffered,     // the same files, in writes of a buffer
  shared,             // one file, an MPI-IO write for every value
  shared_buffered,    // one file, in writes of a buffer
  shared_collective,  // one file, in collective writes of as many problems as the buffer holds
  shared_aligned,     // one file, a write for every problem, whose regions begin at multiples of a stripe
  series,             // Weft's writer: one HDF5 file, binary, with a view
};

enum class MhmSource : std::uint8_t { random, solve };
enum class TextFormat : std::uint8_t { stdio, fast };

struct MhmOptions {
  MhmShape shape{};
  MhmStrategy strategy = MhmStrategy::files;
  MhmSource source = MhmSource::random;
  TextFormat format = TextFormat::stdio;
  std::uint64_t buffer_bytes = 512ULL << 10;
  std::uint64_t threads = 1;  // of a rank
};

std::string name_of(MhmStrategy strategy);
// "files", "files-buffered", ...; "random", "solve"; "stdio", "fast". Throw Error(usage) for any other word.
MhmStrategy parse_mhm_strategy(const std::string& text);
MhmSource parse_mhm_source(const std::string& text);
TextFormat parse_text_format(const std::string& text);

bool is_shared(MhmStrategy strategy);

// Throws Error(usage) for what cannot be: dimensions that do not divide a problem's values, writes that MPI cannot
// make, ...
void check_mhm(const MhmOptions& options, const RunOptions& run);

// Bytes from one problem's region of the shared file to the next one's: for shared-aligned the text rounded up to
// --align, or to the stripe size, or to 4 KiB where neither is said.
std::uint64_t region_bytes(const MhmOptions& options, const RunOptions& run);

// The most a write of a problem's text has, in whole values; for shared_collective the bytes of whole problems.
std::uint64_t piece_bytes(const MhmOptions& options, const RunOptions& run);

}  // namespace weft::kernels::mhm
