// weft/reduce/field_choice.hpp - which field, and which value of a node, "Data:V" names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/storage/series_catalog.hpp"

#pragma GCC visibility push(default)

namespace weft::reduce {

struct FieldChoice {
  std::size_t field = 0;  // among those it was chosen from
  std::uint64_t component = 0;
  std::uint64_t components = 1;
  std::string label;  // what maps of it are filed under: "V", or "u_1" of a field without names for its components
};

// `text` is NAME, NAME:COMPONENT (a number, or the name of one), or the name of a component that only one field has.
// Throws Error(usage) where it names nothing, or a field that stands on no nodes; `where` is for the message.
FieldChoice choose_field(const std::string& where, std::span<const storage::FieldEntry> fields,
                         const std::string& text);

// The number of a component by its name or number; "" will do where there is only one. Throws Error(usage).
std::uint64_t component_number(const std::string& where, const std::string& wanted,
                               const std::vector<std::string>& names, std::uint64_t components);

}  // namespace weft::reduce

#pragma GCC visibility pop
