// weft/storage/measure_access_cost.hpp - what a request and a byte cost where a file lies, found out by reading a
// little.
//
// The reader joins ranges by these two numbers. Only their order of magnitude matters: a warm local disk answers in a
// microsecond, a parallel file system in a millisecond. Not collective; on ranks, one measures and tells the others.
#pragma once

#include "weft/layout/access_cost.hpp"
#include "weft/storage/byte_store.hpp"

namespace weft::storage {

// Reads 5 times 8 bytes and twice up to 1 MiB, spread over the file. Latency is the median of the small reads; where
// that is under 20 us, another 128 are read in four rows, and the mean of the quickest row counts: so a plan of many
// reads. Bandwidth is what the quicker long read took beyond that. A file too short to tell (under 64 KiB) costs what
// layout::AccessCost costs by default in bandwidth, and the latency measured; an empty one is not read at all.
layout::AccessCost measure(ByteStore& bytes);

}  // namespace weft::storage
