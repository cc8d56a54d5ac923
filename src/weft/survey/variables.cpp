#include "weft/survey/variables.hpp"

#include "weft/storage/hdf5_objects.hpp"

namespace weft::survey {

namespace {

// "V(mV)" -> V in mV.
Variable to_variable(const std::string& text) {
  const std::size_t open = text.rfind('(');
  if (open == std::string::npos || open == 0 || text.back() != ')') return {text, ""};
  return {text.substr(0, open), text.substr(open + 1, text.size() - open - 2)};
}

}  // namespace

std::vector<Variable> chaste_variables(hid_t dataset, std::uint64_t count) {
  std::vector<Variable> variables;
  for (const std::string& text : storage::read_texts(dataset, "Variable Details")) {
    variables.push_back(to_variable(text));
  }
  if (variables.size() != count) variables.clear();
  return variables;
}

std::string time_units_of(hid_t times) {
  for (const char* name : {"units", "Unit"}) {
    const std::vector<std::string> texts = storage::read_texts(times, name);
    if (!texts.empty() && !texts[0].empty()) return texts[0];
  }
  return {};
}

}  // namespace weft::survey
