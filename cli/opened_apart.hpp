// cli/opened_apart.hpp - files whose metadata HDF5 crashes over, or never comes back from, for commands that read them
// in their own process.
#pragma once

#include <cstdint>
#include <string>

#include "weft/reading/series_reader.hpp"
#include "weft/support/crash_line.hpp"
#include "weft/support/own_process.hpp"

namespace weft::cli {

// How long a child may take to open a file of this size.
OwnProcessLimits opening_limits(const std::string& path);

enum class FoundSeries : std::uint8_t { weft, foreign };

// Opens a file that Weft did not write in a child process (support/own_process.hpp), and asks how `field` is stored,
// where one is named: what goes wrong there is thrown here, as Error(data) where it was a crash or a loop. To be called
// before this process starts MPI or HDF5. A file that does not open at all counts as Weft's: what is wrong with it, and
// whether it can be mended, is for the command to find. Not collective.
FoundSeries try_to_open(const std::string& path, const reading::SeriesChoice& choice, const std::string& field);

// One line for a crash that comes later or on one of many ranks (support/crash_line.hpp).
CrashLine reading_crash_line(const std::string& path);

}  // namespace weft::cli
