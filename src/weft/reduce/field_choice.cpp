#include "weft/reduce/field_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "weft/support/error.hpp"

namespace weft::reduce {

namespace {

std::string label_of(const storage::FieldEntry& field, std::uint64_t component, std::uint64_t components) {
  if (component < field.components.size()) return field.components[component];
  return components == 1 ? field.name : fmt::format("{}_{}", field.name, component);
}

}  // namespace

FieldChoice choose_field(const std::string& where, std::span<const storage::FieldEntry> fields,
                         const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string name = text.substr(0, colon);
  std::string component = colon == std::string::npos ? "" : text.substr(colon + 1);
  const std::optional<std::size_t> called = storage::field_called(fields, name);
  auto found = called ? fields.begin() + static_cast<std::ptrdiff_t>(*called) : fields.end();
  if (found == fields.end() && colon == std::string::npos) {  // V of the one field that has a component V
    const auto has = [&](const storage::FieldEntry& field) {
      return std::find(field.components.begin(), field.components.end(), text) != field.components.end();
    };
    if (std::count_if(fields.begin(), fields.end(), has) == 1) {
      found = std::find_if(fields.begin(), fields.end(), has);
      component = text;
    }
  }
  if (found == fields.end()) {
    std::string known;
    for (const storage::FieldEntry& field : fields) {
      if (!field.per_step.empty()) known += (known.empty() ? "" : ", ") + field.name;
    }
    throw Error(ErrorKind::usage, where, fmt::format("has no field {}", name), "it has: " + known);
  }
  if (found->per_step.empty() || found->support == storage::Support::global) {
    throw Error(ErrorKind::usage, where, fmt::format("{} has one value a step, and no nodes", name),
                "reduce a field that stands on nodes or cells");
  }
  FieldChoice choice;
  choice.field = static_cast<std::size_t>(found - fields.begin());
  choice.components = components_of(*found);
  choice.component = component_number(where + ": " + found->name, component, found->components, choice.components);
  choice.label = label_of(*found, choice.component, choice.components);
  return choice;
}

std::uint64_t component_number(const std::string& where, const std::string& wanted,
                               const std::vector<std::string>& names, std::uint64_t components) {
  const auto named = std::find(names.begin(), names.end(), wanted);
  if (named != names.end()) return static_cast<std::uint64_t>(named - names.begin());
  std::uint64_t number = 0;
  if (wanted.empty() && components == 1) return 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  const bool is_number = !wanted.empty() && error == std::errc() && end == wanted.data() + wanted.size();
  if (is_number && number < components) return number;
  std::string known = fmt::format("0 to {}", components - 1);
  for (const std::string& name : names) known += ", " + name;
  throw Error(
      ErrorKind::usage, where,
      wanted.empty() ? fmt::format("has {} values a node", components) : fmt::format("has no component '{}'", wanted),
      fmt::format("name one, as --field NAME:COMPONENT; there are {}", known));
}

}  // namespace weft::reduce
