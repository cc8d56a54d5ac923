// weft/support/time_units.hpp - what a file's unit of time is in seconds.
#pragma once

#include <optional>
#include <string_view>

namespace weft {

// Seconds in one of `units`: "ms", "s", "minutes", and as CF counts from a date, "hours since 1990-01-01". Months and
// years have no fixed length, and nothing is returned of them, as of any other word. The names are those of UDUNITS
// (https://docs.unidata.ucar.edu/udunits/current/).
std::optional<double> seconds_in(std::string_view units);

}  // namespace weft
