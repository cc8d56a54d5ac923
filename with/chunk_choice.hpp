// with/chunk_choice.hpp - the chunks of a dataset that a program creates, and the chunk cache of one that it opens.
#pragma once

#include <optional>
#include <string>

#include "weft/support/shape.hpp"
#include "with/library.hpp"
#include "with/settings.hpp"

namespace weft::with {

// The list of creation properties with other chunks than the program's, to be closed by the caller; nullopt where the
// dataset is left as it is: no rule for its path, of one axis, small, not chunked (unless the rule says so).
struct ChosenChunk {
  hid_t creation = -1;
  Shape chunk;
  Shape instead_of;
  Shape expected;  // the extents that it is chosen for
};
std::optional<ChosenChunk> choose_chunk(Library& library, const std::string& path, hid_t type, hid_t space,
                                        hid_t creation);

// Where `name` below `location` will lie in the file: "/results/V".
std::string path_of(Library& library, hid_t location, const char* name);

// The extents that a dataset is expected to have in the end; those that are known, where none is unlimited. Pure.
Shape expected_extents(const Rule& rule, const Shape& extents, const Shape& maximum, const Shape& chunk);

// The chunk for a dataset that will have these extents; nullopt where the rule leaves it alone. Pure. Throws
// Error(usage) for reads that such a dataset has not.
std::optional<Shape> chunk_by(const Rule& rule, const Shape& expected, std::uint64_t element_bytes);

// `access` with a chunk cache for a dataset of these chunks, in which steps are written one at a time: one row of them,
// within the settings' bounds. To be closed by the caller; nullopt where the present cache is enough.
std::optional<hid_t> cache_for_steps(Library& library, hid_t access, const Shape& expected, const Shape& chunk,
                                     std::uint64_t element_bytes);

// A list of access properties with a chunk cache that holds what a snapshot and a trace cross, within the settings'
// bounds; nullopt where the present one is enough. To be closed by the caller.
std::optional<hid_t> raise_cache(Library& library, hid_t dataset);

}  // namespace weft::with
