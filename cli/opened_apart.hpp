// cli/opened_apart.hpp - files whose metadata HDF5 crashes over, or never comes back from, for commands that read them
// in their own process.
#pragma once

#include <string>

#include "weft/reading/series_reader.hpp"
#include "weft/support/crash_line.hpp"

namespace weft::cli {

// Opens the file in a child process (support/own_process.hpp) and asks how `field` is stored, where one is named: what
// goes wrong there is thrown here, as Error(data) where it was a crash or a loop. To be called before this process
// starts MPI or HDF5. Not collective; one of many ranks does not try, so that the file is not opened by all of them.
void try_to_open(const std::string& path, const reading::SeriesChoice& choice, const std::string& field);

// One line for a crash that comes later or on one of many ranks (support/crash_line.hpp).
CrashLine reading_crash_line(const std::string& path);

}  // namespace weft::cli
