// weft/series/spec_check.hpp - what a series cannot be, found out before anything is planned or made.
#pragma once

#include <string>

#include "weft/series/series_spec.hpp"
#include "weft/support/communicator.hpp"

namespace weft::series {

// What each rank can find wrong by itself: its fields and the grid. Throws Error(usage).
void check_spec(const std::string& path, const SeriesSpec& spec);

// Ranks that declare different series would wait for each other in different calls. Collective; throws an agreed
// Error(usage) on all ranks, which says what the first rank that differs declares, and what rank 0 does.
void check_same_on_all_ranks(Communicator& comm, const std::string& path, const SeriesSpec& spec);
void check_same_on_all_ranks(Communicator& comm, const std::string& path, const WriterOptions& options);  // to append

}  // namespace weft::series
