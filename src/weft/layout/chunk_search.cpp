#include "weft/layout/chunk_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

namespace weft::layout {

namespace {

constexpr double most_waste = 0.05;
constexpr std::uint64_t most_snapshot_amplification = 2;
constexpr std::size_t most_grid_points = 3000;
constexpr std::size_t refined_grid_points = 12;
constexpr int most_rounds = 40;  // some 15 are the rule; an end for any that creep

// The largest balanced extent of at most `most`: ceil(D / n) for the least n that allows it.
std::uint64_t balanced(std::uint64_t extent, std::uint64_t most) { return ceil_div(extent, ceil_div(extent, most)); }

double stored_over_asked(std::uint64_t extent, std::uint64_t chunk) {
  return static_cast<double>(ceil_div(extent, chunk)) * static_cast<double>(chunk) / static_cast<double>(extent);
}

std::uint64_t scaled(std::uint64_t value, double factor) {
  return static_cast<std::uint64_t>(std::llround(std::max(1.0, static_cast<double>(value) * factor)));
}

struct Candidate {
  Shape chunk;
  bool aligned = false;
  double cost = 0;
  std::uint64_t chunks = 0;

  bool operator<(const Candidate& other) const {
    return std::tie(other.aligned, cost, chunks, chunk) < std::tie(aligned, other.cost, other.chunks, other.chunk);
  }
};

class Search {
 public:
  explicit Search(const DesignRequest& request)
      : request_(request),
        snapshot_(snapshot_box(request.shape, request.axes)),
        most_elements_(std::min(request.target_bytes, chunk_byte_limit - 1) / request.element_bytes) {
    const std::vector<std::size_t> spatial = spatial_axes(request.axes);
    adjusted_axis_ = spatial.empty() ? step_axis(request.axes) : spatial.front();
    for (const NamedRead& read : request.reads) {
      const auto asked = static_cast<double>(element_count(read.box.count) * request.element_bytes);
      scale_.push_back(read.weight / (request.access.latency_s + asked / request.access.bandwidth));
    }
  }

  Shape run() {
    double ratio = 1;  // all balanced chunks, where they are few
    std::vector<Shape> grid = grid_points(ratio);
    while (grid.empty() && ratio < 0x1p20) grid = grid_points(ratio *= 1.25);
    grid.emplace_back(request_.shape.size(), 1);  // keeps every rule, so there is always a best

    std::vector<Candidate> starts;
    for (const Shape& chunk : grid) {
      best_.reset();
      consider(chunk);
      if (best_) starts.push_back(*best_);
    }
    std::sort(starts.begin(), starts.end());
    starts.resize(std::min(starts.size(), refined_grid_points));

    Candidate best = starts.front();
    for (const Candidate& start : starts) best = std::min(best, refined(start, std::max(ratio, 2.0)));
    return best.chunk;
  }

 private:
  // Extents along one axis, `ratio` or more apart, that keep the waste bound by themselves; the largest first, 1 last
  // unless there are more than a grid can hold.
  std::vector<std::uint64_t> grid_extents(std::uint64_t extent, double ratio) const {
    std::vector<std::uint64_t> extents;
    for (std::uint64_t most = std::min(extent, most_elements_); most > 0 && extents.size() <= most_grid_points;) {
      const std::uint64_t chunk = balanced(extent, most);
      if (stored_over_asked(extent, chunk) <= 1 + most_waste) {
        extents.push_back(chunk);
        most = std::min(chunk - 1, static_cast<std::uint64_t>(static_cast<double>(chunk) / ratio));
        if (most == 0 && chunk > 1) most = 1;
      } else {
        most = chunk - 1;
      }
    }
    return extents;
  }

  // Every combination of grid extents within the target; none at all where there are too many.
  std::vector<Shape> grid_points(double ratio) const {
    std::vector<Shape> points{{}};
    for (const std::uint64_t extent : request_.shape) {
      const std::vector<std::uint64_t> extents = grid_extents(extent, ratio);
      if (extents.size() > most_grid_points) return {};
      std::vector<Shape> longer;
      for (const Shape& point : points) {
        for (const std::uint64_t chunk : extents) {
          if (element_count(point) > most_elements_ / chunk) continue;
          longer.push_back(point);
          longer.back().push_back(chunk);
        }
        if (longer.size() > most_grid_points) return {};
      }
      points = std::move(longer);
    }
    return points;
  }

  // Balanced extents around `centre`, up to a factor of `radius` away: the direct neighbours always among them, and
  // those a factor of 2 apart over the whole axis, because a small extent may have no neighbour that keeps the waste
  // bound (17 is 17 or 1, nothing between).
  std::vector<std::uint64_t> extents_around(std::uint64_t extent, std::uint64_t centre, double radius) const {
    constexpr int most_each_way = 6;
    std::vector<std::uint64_t> extents = grid_extents(extent, 2);
    const std::uint64_t largest = std::min(extent, most_elements_);
    for (int k = 1; k <= most_each_way; ++k) {
      const double factor = std::pow(radius, static_cast<double>(k) / most_each_way);
      extents.push_back(balanced(extent, std::min(largest, scaled(centre, factor))));
      extents.push_back(balanced(extent, scaled(centre, 1 / factor)));
    }
    const std::uint64_t count = ceil_div(extent, centre);
    if (centre > 1) extents.push_back(balanced(extent, centre - 1));
    if (count > 1) extents.push_back(std::min(largest, ceil_div(extent, count - 1)));
    std::sort(extents.begin(), extents.end());
    extents.erase(std::unique(extents.begin(), extents.end()), extents.end());
    std::erase(extents, centre);
    return extents;
  }

  Candidate refined(const Candidate& start, double ratio) {
    best_ = start;
    double radius = ratio;
    for (int round = 0; round < most_rounds && radius > 1.01; ++round) {
      const Shape before = best_->chunk;
      for (std::size_t axis = 0; axis < before.size(); ++axis) refine_axis(axis, radius);
      if (best_->chunk == before) radius = std::sqrt(radius);
    }
    return *best_;
  }

  // Moves one axis, alone and with each other axis giving way.
  void refine_axis(std::size_t axis, double radius) {
    const Shape base = best_->chunk;
    const std::uint64_t elements = element_count(base);
    for (const std::uint64_t extent : extents_around(request_.shape[axis], base[axis], radius)) {
      Shape moved = base;
      moved[axis] = extent;
      consider(moved);
      for (std::size_t other = 0; other < base.size(); ++other) {
        if (other == axis) continue;
        const std::uint64_t rest = elements / base[axis] / base[other] * extent;
        if (rest > most_elements_) continue;
        const std::uint64_t whole = request_.shape[other];
        moved[other] = balanced(whole, std::min(whole, most_elements_ / rest));  // fills the target
        consider(moved);
        moved[other] =
            balanced(whole, std::min(whole, std::max<std::uint64_t>(1, elements / rest)));  // as large as now
        consider(moved);
        moved[other] = base[other];
      }
    }
  }

  // Keeps the chunk if it is better than the best so far, itself or with its size made a multiple of the alignment.
  void consider(const Shape& chunk) {
    weigh(chunk);
    if (request_.align_bytes == 0) return;
    const std::uint64_t extent = chunk[adjusted_axis_];
    const std::uint64_t slice_bytes = element_count(chunk) / extent * request_.element_bytes;
    const std::uint64_t unit = request_.align_bytes / std::gcd(request_.align_bytes, slice_bytes);
    Shape adjusted = chunk;
    for (const std::uint64_t multiple : {extent / unit * unit, ceil_div(extent, unit) * unit}) {
      if (multiple == 0 || multiple == extent || multiple > request_.shape[adjusted_axis_]) continue;
      adjusted[adjusted_axis_] = multiple;
      weigh(adjusted);
    }
  }

  void weigh(const Shape& chunk) {
    if (!within_bounds(chunk)) return;
    const auto [at, is_new] = weighed_.try_emplace(chunk);
    if (is_new) at->second = weighed(chunk);
    const std::optional<Candidate>& candidate = at->second;
    if (candidate && (!best_ || *candidate < *best_)) best_ = candidate;
  }

  // The chunk with its sum, or nothing where a snapshot would move too much.
  std::optional<Candidate> weighed(const Shape& chunk) const {
    const ChunkGrid grid(request_.shape, chunk, request_.element_bytes);
    const ReadCost snapshot = predict(grid, snapshot_, request_.access, request_.coding);
    if (!request_.coding && snapshot.bytes > most_snapshot_amplification * snapshot.asked_bytes) return std::nullopt;
    const bool aligned = request_.align_bytes > 0 && grid.chunk_bytes() % request_.align_bytes == 0;
    double sum = 0;
    for (std::size_t i = 0; i < scale_.size(); ++i) {
      const Box& box = request_.reads[i].box;
      const ReadCost cost = box == snapshot_ ? snapshot : predict(grid, box, request_.access, request_.coding);
      sum += scale_[i] * cost.seconds(request_.access);
    }
    return Candidate{chunk, aligned, sum, grid.chunks()};
  }

  // Size and waste, cheaply, before anything is predicted; and padding must not push a huge dataset past 63 bits.
  bool within_bounds(const Shape& chunk) const {
    std::uint64_t elements = 1;
    double stored_over_all = 1;
    auto stored_bytes = static_cast<double>(request_.element_bytes);
    for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
      if (chunk[axis] > most_elements_ / elements) return false;
      elements *= chunk[axis];
      const double ratio = stored_over_asked(request_.shape[axis], chunk[axis]);
      stored_over_all *= ratio;
      stored_bytes *= ratio * static_cast<double>(request_.shape[axis]);
    }
    return stored_over_all <= 1 + most_waste && (stored_over_all <= 1 || stored_bytes < 0x1p62);
  }

  const DesignRequest& request_;
  Box snapshot_;
  std::uint64_t most_elements_;
  std::size_t adjusted_axis_;  // the one whose extent is changed for alignment
  std::vector<double> scale_;  // weight over the cost of one request for the bytes asked, of each read
  std::map<Shape, std::optional<Candidate>> weighed_;  // each chunk is weighed once, however often it comes up
  std::optional<Candidate> best_;
};

}  // namespace

Shape chunk_for_reads(const DesignRequest& request) { return Search(request).run(); }

}  // namespace weft::layout
