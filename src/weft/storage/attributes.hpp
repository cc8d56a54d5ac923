// weft/storage/attributes.hpp - the values an HDF5 attribute can have here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)

namespace weft::storage {

// Text that readers want as a string of fixed length (VTK); any other text is one of variable length, as h5py has it.
struct FixedText {
  std::string text;
};
using AttributeValue = std::variant<std::string, double, std::int64_t, std::vector<double>, std::vector<std::int64_t>,
                                    std::vector<std::string>, FixedText>;
using Attributes = std::map<std::string, AttributeValue>;

}  // namespace weft::storage

#pragma GCC visibility pop
