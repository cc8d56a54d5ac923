// weft/inspect/read_price.hpp - what a read of a stored dataset costs, through HDF5's own reader and through Weft's.
//
// Pure arithmetic over how the dataset lies. layout/read_cost prices Weft's reader on unfiltered chunks; here stand
// HDF5's reader as it is (it does not read every chunk whole) and filtered chunks (which every reader takes whole).
//
//   HDF5, chunks that fit its chunk cache, and all filtered ones   every touched chunk, whole: a request each
//   HDF5, larger chunks                                            every run of the box, a request each
//   HDF5, in one piece                                             runs through the sieve buffer: a run that is not in
//   it
//                                                                  fetches as much as it holds; a longer one goes past
//   Weft, unfiltered                                               layout/read_cost.hpp
//   Weft, filtered                                                 every touched chunk, whole
//
// Worked, one node of 151x20000x2 doubles (runs of 16 bytes, 320,000 apart): in one piece HDF5 reads 151 times 65,536
// bytes; in chunks of 41x20000x2 (13 MB, more than the cache) 151 times 16 bytes; in chunks of 19x3449x2 8 whole
// chunks, 8,387,968 bytes; strace sees just these.
#pragma once

#include <cstdint>
#include <span>

#include "weft/inspect/arrangement.hpp"
#include "weft/layout/access_cost.hpp"
#include "weft/support/shape.hpp"

namespace weft::inspect {

struct Price {
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;
  double decode_seconds = 0;  // of one core, undoing filters

  double seconds(const layout::AccessCost& access) const { return access.seconds(requests, bytes) + decode_seconds; }
  bool operator==(const Price&) const = default;
};

// HDF5's own reader where nobody sets it up: h5py, h5dump, MATLAB.
struct Hdf5Reader {
  std::uint64_t chunk_cache_bytes = 1 << 20;
  std::uint64_t sieve_bytes = 64 << 10;
};
// What the HDF5 that this program runs with has.
Hdf5Reader hdf5_reader_here();

// The boxes of one read are disjoint, not empty, and in the order of the file; each is read by itself, but a chunk that
// two neighbours share comes out of HDF5's cache the second time.
Price through_weft(const Arrangement& stored, std::span<const Box> boxes, const layout::AccessCost& access);
Price through_hdf5(const Arrangement& stored, std::span<const Box> boxes, const Hdf5Reader& reader);

}  // namespace weft::inspect
