// series/going_on.hpp - what is checked before a series goes on: nothing is changed in the file until all of it holds.
#pragma once

#include <cstdint>
#include <vector>

#include "weft/partition/ownership.hpp"
#include "weft/series/series_spec.hpp"
#include "weft/storage/series_catalog.hpp"

namespace weft::series {

// Rank 0's alone: a global field, seen from `rank`.
partition::Ownership of_rank_zero(const Shape& per_step, int rank);

// The step to go on with. Throws Error(usage) where `spec` names one behind the committed steps, and where the file
// cannot be written to: a field with filters. Not collective.
std::uint64_t step_to_go_on_with(const storage::SeriesCatalog& catalog, std::uint64_t committed,
                                 const AppendSpec& spec);

// What `rank` holds of every field, as catalog.fields. Throws Error(usage) where `spec` names fields that the file has
// not, none for one that it has, or one of another shape. Not collective.
std::vector<partition::Ownership> ownerships_for(const storage::SeriesCatalog& catalog, const AppendSpec& spec,
                                                 int rank);

}  // namespace weft::series
