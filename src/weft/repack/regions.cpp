#include "weft/repack/regions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"
#include "weft/survey/box_copy.hpp"

namespace weft::repack {

namespace {

constexpr std::uint64_t kComfortableRegion = 64ULL << 20;
// Moving pieces of at least this length costs no more than moving longer ones, on a disk.
constexpr double kComfortablePiece = 64 << 10;

double as_double(std::uint64_t value) { return static_cast<double>(value); }

std::uint64_t product(const Shape& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::uint64_t{1}, std::multiplies<>());
}

// How many pieces, each contiguous in a dataset of such chunks, its elements make when they are moved region by region:
// boxes of both grids' intersections of average extents, and in each as many pieces as a row-major chunk has rows of
// it.
double pieces(const Shape& shape, const Shape& chunk, const Shape& region) {
  double boxes = 1;
  double rows = 1;  // of one box, given that all axes behind are whole
  bool whole_so_far = true;
  for (std::size_t i = shape.size(); i-- > 0;) {
    const std::uint64_t chunks = ceil_div(shape[i], chunk[i]);
    const std::uint64_t regions = ceil_div(shape[i], region[i]);
    const bool nested = region[i] % chunk[i] == 0 || chunk[i] % region[i] == 0 || chunks == 1 || regions == 1;
    const double along = nested ? as_double(std::max(chunks, regions)) : as_double(chunks + regions - 1);
    boxes *= along;
    const double extent = as_double(shape[i]) / along;
    if (whole_so_far) {
      whole_so_far = extent >= 0.99 * as_double(std::min(chunk[i], shape[i]));
    } else {
      rows *= extent;
    }
  }
  return boxes * rows;
}

class Growth {
 public:
  Growth(const MoveRequest& request, Shape unit, bool whole_source)
      : request_(request), unit_(std::move(unit)), whole_source_(whole_source) {
    for (std::size_t i = 0; i < unit_.size(); ++i) unit_[i] = std::min(unit_[i], request.shape[i]);
  }

  // Whole source chunks take their padding too.
  std::uint64_t bytes_of(const Shape& region) const {
    std::uint64_t elements = 1;
    for (std::size_t i = 0; i < region.size(); ++i) {
      const std::uint64_t chunk = request_.source_chunk[i];
      elements *= whole_source_ ? ceil_div(region[i], chunk) * chunk : region[i];
    }
    return elements * request_.element_bytes;
  }

  std::uint64_t least() const { return bytes_of(unit_); }

  Shape grow(const Shape& target_chunk, std::uint64_t most_bytes) const {
    Shape region = unit_;
    const double bytes = as_double(product(request_.shape) * request_.element_bytes);
    const auto cost = [&](const Shape& candidate) {
      return pieces(request_.shape, request_.source_chunk, candidate) + pieces(request_.shape, target_chunk, candidate);
    };
    double now = cost(region);
    while (true) {
      Shape best;
      double best_cost = 0;
      for (std::size_t i = 0; i < region.size(); ++i) {
        for (const std::uint64_t extent : {2 * region[i], request_.shape[i]}) {
          Shape candidate = region;
          candidate[i] = std::min(extent, request_.shape[i]);
          if (candidate == region || bytes_of(candidate) > most_bytes) continue;
          const double candidate_cost = cost(candidate);
          if (best.empty() || candidate_cost < best_cost) {
            best = candidate;
            best_cost = candidate_cost;
          }
        }
      }
      if (best.empty()) return region;
      // Beyond a comfortable size only longer pieces are worth more memory, and only while they are short.
      const bool comfortable = bytes_of(best) > kComfortableRegion;
      if (comfortable && (best_cost >= now || bytes / now >= kComfortablePiece)) return region;
      region = best;
      now = best_cost;
    }
  }

 private:
  const MoveRequest& request_;
  Shape unit_;
  bool whole_source_;
};

Shape common_multiple(const Shape& a, const Shape& b, const Shape& shape) {
  Shape result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    // Beyond the extent everything is a multiple; written so that nothing overflows.
    const std::uint64_t factor = b[i] / std::gcd(a[i], b[i]);
    result.push_back(factor > shape[i] / a[i] ? shape[i] : a[i] * factor);
  }
  return result;
}

Error too_small(const MoveRequest& request, std::uint64_t needed) {
  return {ErrorKind::usage, request.name,
          fmt::format("has chunks that take {} of memory, and the budget is {}", format_bytes(needed),
                      format_bytes(request.budget_bytes)),
          fmt::format("pass --budget {}MiB or more", ceil_div(needed, 1ULL << 20))};
}

Pass make_pass(const MoveRequest& request, const Shape& unit, bool whole_source, const Shape& target_chunk) {
  // A chunk on its way takes its memory twice: as the file has it, and between two of its filters.
  const std::uint64_t source = whole_source ? product(request.source_chunk) * request.element_bytes : 0;
  const std::uint64_t target = product(target_chunk) * request.element_bytes;
  const std::uint64_t on_its_way = 2 * std::max(source, target);
  const Growth growth(request, unit, whole_source);
  const std::uint64_t least = growth.least();
  if (least + on_its_way > request.budget_bytes) throw too_small(request, least + on_its_way);
  Pass pass;
  const std::uint64_t beyond = request.budget_bytes - least;
  pass.chunks_in_flight = std::clamp<std::uint64_t>(beyond / 2 / on_its_way, 1, 4 * request.workers);
  const std::uint64_t free = request.budget_bytes - pass.chunks_in_flight * on_its_way;
  pass.in_flight = 2 * least <= free ? 2 : 1;
  pass.region = growth.grow(target_chunk, free / pass.in_flight);
  pass.region_bytes = growth.bytes_of(pass.region);
  return pass;
}

}  // namespace

std::uint64_t Pass::regions(const Shape& shape) const {
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) count *= ceil_div(shape[i], region[i]);
  return count;
}

std::string MovePlan::describe() const {
  if (!spill) return fmt::format("regions of {} ({})", to_string(first.region), format_bytes(first.region_bytes));
  return fmt::format("regions of {} ({}), then of {} from a spill file of {}", to_string(first.region),
                     format_bytes(first.region_bytes), to_string(second.region), format_bytes(spill_bytes));
}

MovePlan plan_move(const MoveRequest& request) {
  MovePlan plan;
  const bool both = request.decode_whole && request.encode_whole;
  const Shape& unit = request.decode_whole ? request.source_chunk : request.target_chunk;
  if (both) {
    const Shape common = common_multiple(request.source_chunk, request.target_chunk, request.shape);
    try {
      plan.first = make_pass(request, common, true, request.target_chunk);
      return plan;
    } catch (const Error&) {
      plan.spill = true;
    }
  }
  plan.first = make_pass(request, unit, request.decode_whole, request.target_chunk);
  if (!plan.spill) return plan;
  MoveRequest from_spill = request;
  from_spill.source_chunk = request.target_chunk;
  plan.second = make_pass(from_spill, request.target_chunk, false, request.target_chunk);
  plan.spill_bytes = request.element_bytes;
  for (std::size_t i = 0; i < request.shape.size(); ++i) {
    plan.spill_bytes *= ceil_div(request.shape[i], request.target_chunk[i]) * request.target_chunk[i];
  }
  return plan;
}

std::vector<std::uint64_t> regions_touched(const Shape& shape, const Shape& region, const Shape& chunk,
                                           const std::vector<Shape>& origins) {
  std::vector<std::uint64_t> numbers;
  for (const Shape& origin : origins) {
    survey::for_each_index(survey::chunks_touched(survey::common_part({origin, chunk}, whole(shape)), region),
                           [&](const Shape& index) {
                             std::uint64_t number = 0;
                             for (std::size_t i = 0; i < shape.size(); ++i)
                               number = number * ceil_div(shape[i], region[i]) + index[i];
                             numbers.push_back(number);
                           });
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

Box region_box(const Shape& shape, const Shape& region, std::uint64_t number) {
  Box box{Shape(shape.size()), Shape(shape.size())};
  for (std::size_t i = shape.size(); i-- > 0;) {
    const std::uint64_t along = ceil_div(shape[i], region[i]);
    box.start[i] = number % along * region[i];
    box.count[i] = std::min(region[i], shape[i] - box.start[i]);
    number /= along;
  }
  return box;
}

}  // namespace weft::repack
