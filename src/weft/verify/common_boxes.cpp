#include "weft/verify/common_boxes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace weft::verify {

namespace {

// What asking for one more contiguous run costs, in bytes that could have been read meanwhile.
constexpr double kRunCost = 16384;

// The pieces an axis falls into when it is cut at the multiples of `a` and at those of `b`.
std::uint64_t cuts(std::uint64_t extent, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t inner_a = (extent - 1) / a;
  const std::uint64_t inner_b = (extent - 1) / b;
  const std::uint64_t divisor = std::gcd(a, b);
  // Beyond 64 bits there is no common cut within the extent.
  const bool far = a / divisor > std::numeric_limits<std::uint64_t>::max() / b;
  const std::uint64_t both = far ? 0 : (extent - 1) / (a / divisor * b);
  return 1 + inner_a + inner_b - both;
}

struct Cost {
  double bytes = 0;  // read
  double runs = 0;   // contiguous pieces they come in
};

Cost cost_of(const Shape& shape, double element_bytes, const Side& side, const Shape& box) {
  double parts = 1;            // of chunks in boxes
  double run = element_bytes;  // bytes of a chunk's part that lie together
  double runs = 1;             // of those in a part
  double elements = 1;
  double chunk_bytes = element_bytes;
  bool together = true;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    parts *= static_cast<double>(cuts(shape[axis], side.chunk[axis], box[axis]));
    elements *= static_cast<double>(shape[axis]);
    chunk_bytes *= static_cast<double>(side.chunk[axis]);
    const std::uint64_t part = std::min(side.chunk[axis], box[axis]);
    (together ? run : runs) *= static_cast<double>(part);
    together = together && part == side.chunk[axis];
  }
  if (side.whole_chunks) return {parts * chunk_bytes, parts};
  return {elements * element_bytes, parts * runs};
}

class Search {
 public:
  Search(const Shape& shape, std::uint64_t element_bytes, const Side& left, const Side& right)
      : shape_(shape), element_bytes_(static_cast<double>(element_bytes)), left_(left), right_(right) {
    for (std::size_t axis = 0; axis < shape.size(); ++axis) add_candidates(axis);
  }

  Shape best(double most_bytes) const {
    Shape box = shape_;
    while (bytes_of(box) > most_bytes && shrink(box)) {
    }
    return box;
  }

 private:
  double bytes_of(const Shape& box) const {
    double bytes = element_bytes_;
    for (const std::uint64_t extent : box) bytes *= static_cast<double>(extent);
    return bytes;
  }

  double cost(const Shape& box) const {
    const Cost left = cost_of(shape_, element_bytes_, left_, box);
    const Cost right = cost_of(shape_, element_bytes_, right_, box);
    return left.bytes + right.bytes + kRunCost * (left.runs + right.runs);
  }

  // Whole numbers of chunks of either side or of both, and halves, quarters, ... of everything.
  void add_candidates(std::size_t axis) {
    const std::uint64_t extent = shape_[axis];
    std::vector<std::uint64_t> list;
    for (std::uint64_t part = extent; part > 1; part = ceil_div(part, 2)) list.push_back(part);
    list.push_back(1);
    const std::uint64_t a = left_.chunk[axis];
    const std::uint64_t b = right_.chunk[axis];
    const std::uint64_t step = a / std::gcd(a, b);
    for (const std::uint64_t unit : {a, b, b < extent / step + 1 ? step * b : extent}) {
      constexpr std::uint64_t kMultiples = 64;  // 1 to 64, then 128, 256, ...
      for (std::uint64_t n = 1; n < ceil_div(extent, unit); n += n < kMultiples ? 1 : n) list.push_back(n * unit);
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    while (list.back() > extent) list.pop_back();
    candidates_.push_back(std::move(list));
  }

  // One axis is made shorter, by at most half of it at a time: whichever then costs least.
  bool shrink(Shape& box) const {
    double least = std::numeric_limits<double>::infinity();
    Shape chosen;
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      for (const std::uint64_t candidate : candidates_[axis]) {
        if (candidate >= box[axis]) break;
        if (candidate < box[axis] / 2) continue;
        Shape shorter = box;
        shorter[axis] = candidate;
        const double now = cost(shorter);
        // Of two that cost the same, the larger one: it leaves more to be chosen.
        if (now < least || (now == least && bytes_of(shorter) > bytes_of(chosen))) {
          least = now;
          chosen = shorter;
        }
      }
    }
    if (chosen.empty()) return false;
    box = chosen;
    return true;
  }

  const Shape& shape_;
  double element_bytes_;
  const Side& left_;
  const Side& right_;
  std::vector<std::vector<std::uint64_t>> candidates_;  // ascending, an axis each
};

}  // namespace

CommonBoxes common_boxes(const Shape& shape, std::uint64_t element_bytes, const Side& left, const Side& right,
                         std::uint64_t most_bytes) {
  const Shape box = Search(shape, element_bytes, left, right).best(static_cast<double>(most_bytes));
  const auto read = [&](const Side& side) {
    return static_cast<std::uint64_t>(cost_of(shape, static_cast<double>(element_bytes), side, box).bytes);
  };
  return {box, read(left), read(right)};
}

}  // namespace weft::verify
