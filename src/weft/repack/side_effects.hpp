// weft/repack/side_effects.hpp - what a repacked file does worse than before, said before and after it is made.
#pragma once

#include <string>
#include <vector>

#include "weft/repack/repack.hpp"

namespace weft::repack {

// Lines, each naming its dataset: a snapshot or trace that becomes much slower through HDF5 (which reads whole chunks),
// as it was not among the reads asked for; filters for which other programs need a plugin. Pure.
std::vector<std::string> side_effects(const Chosen& chosen, const RepackRequest& request);

// The same of a dataset that became much longer: smaller chunks are compressed less. "" where it has not.
std::string growth(const Chosen& chosen, const RepackReport::Dataset& made);

}  // namespace weft::repack
