// weft/inspect/advice.hpp - one line of plain advice on a dataset that was inspected.
//
// Repacking is advised where it makes the reads that are chosen for cheaper by a half at least, and by more than a few
// requests, through HDF5's reader or, where not through that, through Weft's; or where a quarter of what the dataset
// takes is padding. The line tells the read that gains most, and what becomes dearer in exchange. Pure.
#pragma once

#include <cstdint>

#include "weft/inspect/inspection.hpp"

namespace weft::inspect {

// Below this a dataset is one or two requests however it is stored: `weft repack` lays it out anew only where it is
// named.
inline constexpr std::uint64_t kLeastRepackedBytes = 64 << 10;

// What can be said before anything is priced: that its filters cannot be undone here, that its chunks are mostly
// padding.
Advice advice_without_prices(const Inspection& inspection);
// With prices at what `access` costs.
Advice advice_on(const Inspection& inspection, const layout::AccessCost& access);

}  // namespace weft::inspect
