// A program without MPI on an installed weft::core.
#include <cstdio>

#include "weft/support/shape.hpp"

int main() {
  const weft::Shape shape = weft::parse_shape("151x3253316x2");
  std::printf("%s\n", weft::to_string(shape).c_str());
  return weft::element_count(shape) == 151ULL * 3253316 * 2 ? 0 : 1;
}
