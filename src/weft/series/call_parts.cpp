#include "weft/series/call_parts.hpp"

#include <algorithm>

namespace weft::series {

std::vector<Box> call_parts(const Shape& count, std::uint64_t element_bytes, std::uint64_t limit) {
  if (std::find(count.begin(), count.end(), 0U) != count.end()) return {};
  Shape part = count;
  std::vector<std::size_t> order;
  if (count.size() > 1) order.push_back(1);
  order.push_back(0);
  for (std::size_t i = 2; i < count.size(); ++i) order.push_back(i);
  for (const std::size_t axis : order) {
    const std::uint64_t bytes = element_count(part) * element_bytes;
    if (bytes <= limit) break;
    part[axis] = std::max<std::uint64_t>(1, limit / (bytes / part[axis]));
  }
  std::vector<Box> parts;
  Shape at(count.size(), 0);
  while (true) {
    Box box{at, part};
    for (std::size_t i = 0; i < at.size(); ++i) box.count[i] = std::min(part[i], count[i] - at[i]);
    parts.push_back(std::move(box));
    std::size_t axis = count.size();
    while (axis-- > 0) {
      at[axis] += part[axis];
      if (at[axis] < count[axis]) break;
      at[axis] = 0;
    }
    if (axis == static_cast<std::size_t>(-1)) return parts;
  }
}

}  // namespace weft::series
