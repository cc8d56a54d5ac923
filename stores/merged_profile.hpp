// stores/merged_profile.hpp - one profile of a file system from several that were taken at different times.
//
// One minute has the mood of that minute: other users, a disk that is busy, memory that a virtual machine has to get
// back. Medians over several times are nearer to what runs meet (docs/probe.md has figures).
#pragma once

#include <span>

#include "stores/store_profile.hpp"

namespace weft::stores {

// Each figure is the median of the profiles' (of an even number: the geometric mean of the two in the middle); the
// slowest and the fastest pass are those of all. What is not in all of them is left out. The first one's name is kept.
// Throws Error(usage) where there is no profile, or where they are of different file systems or numbers of ranks.
StoreProfile merged(std::span<const StoreProfile> profiles);

}  // namespace weft::stores
