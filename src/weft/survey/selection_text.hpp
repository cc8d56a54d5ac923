// weft/survey/selection_text.hpp - which elements a dataspace selects, in words.
#pragma once

#include <hdf5.h>

#include <string>

namespace weft::survey {

// "[2:5, 0:7] [9:10, 0:7]": every block; "[3, 4] [0, 1]": points in their order; "[all]" and "[none]". Not collective.
std::string selection_text(hid_t space);

}  // namespace weft::survey
