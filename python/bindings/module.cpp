// bindings/module.cpp - weft._core.
#include "bindings/bindings.hpp"
#include "weft/version.hpp"

NB_MODULE(_core, module) {
  module.doc() = "weft::core for Python. Use the package weft, which says what these take.";
  module.attr("version") = weft::kVersion;
  weft::bindings::bind_errors(module);
  weft::bindings::bind_ecg(module);
  weft::bindings::bind_functions(module);
  weft::bindings::bind_quantity(module);
  weft::bindings::bind_writing(module);
  weft::bindings::bind_reading(module);
}
