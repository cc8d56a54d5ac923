// weft/repack/references.hpp - references of one file, made to point at the same objects of another.
//
// An object reference is the address of an object's header, a region reference that and a selection: both mean nothing
// in a copy. They may stand alone or inside of compounds, arrays and lists (the DIMENSION_LIST and REFERENCE_LIST of
// dimension scales are such). Not collective.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "weft/storage/hdf5_handle.hpp"

namespace weft::repack {

// The path in the copy of every object, by the address of its header in the original.
using PathsByAddress = std::map<haddr_t, std::string>;

// Whether elements of this type hold references anywhere.
bool holds_references(hid_t type);

// Turns the references in `count` elements of `type`, read from `from` into memory, into ones of `to`. References to
// what has no path any more become null; the number of those is returned. Throws Error(data) where one cannot be made.
std::uint64_t translate_references(hid_t from, hid_t to, const PathsByAddress& paths, hid_t type, std::byte* elements,
                                   std::uint64_t count);

}  // namespace weft::repack
