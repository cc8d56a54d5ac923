// weft/survey/type_text.hpp - an HDF5 type in words, complete: two types are the same where their words are.
#pragma once

#include <hdf5.h>

#include <string>

namespace weft::survey {

enum class TypeDetail : std::uint8_t {
  values,   // what values there can be: byte order and the padding between a compound's members are left out
  storage,  // and how they are stored
};

// "int32", "float64", "float32, big-endian", "text of 5 bytes, null-padded", "compound {a: int32, b: 3 of float64}",
// "enumeration of int8 {OFF = 0, ON = 1}", "lists of reference to an object". Not collective.
std::string type_text(hid_t type, TypeDetail detail);

}  // namespace weft::survey
