// weft/survey/variables.hpp - names and units that files give to values, beside the axes.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace weft::survey {

struct Variable {
  std::string name;
  std::string units;
};

// Chaste's names of the last axis of a dataset ("Variable Details": "V(mV)"), one for each of its `count` elements;
// nothing where there are none or another number of them.
std::vector<Variable> chaste_variables(hid_t dataset, std::uint64_t count);

// The units a dataset of times says it has, by its attribute "units" or "Unit"; "" where it says none.
std::string time_units_of(hid_t times);

}  // namespace weft::survey

#pragma GCC visibility pop
