#include "weft/layout/read_weights.hpp"

#include <fmt/format.h>

#include <cmath>

#include "weft/support/error.hpp"

namespace weft::layout {

std::string ReadWeights::text() const {
  std::string text;
  const auto add = [&](const std::string& name, double weight) {
    if (!std::isfinite(weight) || weight < 0) {
      throw Error(ErrorKind::usage, fmt::format("ReadWeights: {} = {}", name, weight), "is not a weight",
                  "give 0 or a positive number");
    }
    if (weight > 0) text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, weight);
  };
  add("snapshot", snapshot);
  add("trace", trace);
  add("block", block);
  add(plane_axis.empty() ? "plane" : "plane:" + plane_axis, plane);
  if (text.empty()) {
    throw Error(ErrorKind::usage, "ReadWeights", "no read has a weight", "give one, as in {.snapshot = 1, .trace = 1}");
  }
  return text;
}

}  // namespace weft::layout
