// weft/verify/value_comparison.hpp - the values of two datasets, or of two attributes, side by side.
//
// Both have the same shape, and types of the same words (survey/type_text.hpp). Not collective.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "weft/verify/compared_file.hpp"
#include "weft/verify/comparison.hpp"

namespace weft::verify {

// Where values differ, if they do; nothing where all are the same. `compared` is told bytes as they are done. Throws
// Error(data) where values cannot be read, Error(usage) where the budget is too small.
std::optional<ValueDifference> compare_values(const ComparedFile& left, const ComparedFile& right,
                                              const std::string& path, std::uint64_t budget_bytes,
                                              const std::function<void(std::uint64_t bytes)>& compared);

// The same of two open attributes; in words, "1 of 3 differ: 'mV' / 'V'".
std::optional<std::string> compare_attribute_values(const ComparedFile& left, hid_t left_attribute,
                                                    const ComparedFile& right, hid_t right_attribute,
                                                    const std::string& name);

}  // namespace weft::verify
