// weft/series/spec_options.hpp - every option of a series and of a field, by its name and a string.
//
// For callers that have no C++ structs (C, Fortran, files of settings): a new option needs no new function there. Sizes
// and times are written as on the command line: "256MiB", "60s".
#pragma once

#include <string_view>

#include "weft/series/series_spec.hpp"

namespace weft::series {

// steps ("151", or "unknown"), time_units, calendar ("noleap"), align (a size), if_exists (replace, fail),
// attribute.NAME (a text); budget (a size), direct (auto, always, never), sync (commit, window, none), commit_every
// ("60s", "100steps"), commit_on_signals, take_over (yes, no), writers (auto, all, "4/node", "16"), commit_groups, work
// (what the program is, in the error of a second writer). Throws Error(usage) for another name, naming those there are,
// and for a value that cannot be used.
void set_option(SeriesSpec& spec, std::string_view name, std::string_view value);

// support (nodes, cells, global), units, components, component_units ("x,y,z"), filters ("shuffle+deflate:1"),
// layout (reads, isotropic, rows, given), reads ("snapshot=1,trace=4"), target (a size), chunk ("19,690", steps first:
// layout is "given" then), latency ("1ms"), bandwidth ("1GB/s"), attribute.NAME (a text). Throws as above.
void set_option(FieldSpec& field, std::string_view name, std::string_view value);

}  // namespace weft::series
