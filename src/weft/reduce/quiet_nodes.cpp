#include "weft/reduce/quiet_nodes.hpp"

#include <algorithm>
#include <cmath>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "weft/reduce/beats.hpp"
#include "weft/support/wide_code.hpp"

namespace weft::reduce {

namespace {

// Elements are taken one after another, whatever component they are, so that the loop needs no gathering: lane l sees
// the elements l, l + 8, l + 16.. of the block, and where the stride divides 8 a lane has one component.
constexpr std::uint64_t kLanes = 8;

#ifdef __SSE2__

// The machine's own least and greatest: where one of the two is no number they give the second, as add() does.
Extent extent_in_lanes(const double* from, std::uint64_t elements, std::uint64_t stride, std::uint64_t offset) {
  constexpr std::uint64_t kPairs = kLanes / 2;
  __m128d lo[kPairs];  // NOLINT(modernize-avoid-c-arrays): std::array would drop the type's alignment
  __m128d hi[kPairs];  // NOLINT(modernize-avoid-c-arrays)
  std::fill_n(lo, kPairs, _mm_set1_pd(Extent().lo));
  std::fill_n(hi, kPairs, _mm_set1_pd(Extent().hi));
  for (std::uint64_t i = 0; i < elements; i += kLanes) {
    for (std::uint64_t pair = 0; pair < kPairs; ++pair) {
      const __m128d values = _mm_loadu_pd(from + i + 2 * pair);
      lo[pair] = _mm_min_pd(values, lo[pair]);
      hi[pair] = _mm_max_pd(values, hi[pair]);
    }
  }
  std::array<double, kLanes> least;
  std::array<double, kLanes> greatest;
  for (std::uint64_t pair = 0; pair < kPairs; ++pair) {
    _mm_storeu_pd(least.data() + 2 * pair, lo[pair]);
    _mm_storeu_pd(greatest.data() + 2 * pair, hi[pair]);
  }
  Extent extent;
  for (std::uint64_t lane = offset % stride; lane < kLanes; lane += stride) {
    extent.add(Extent{least[lane], greatest[lane]});
  }
  return extent;
}

#endif

template <typename T>
Extent extent_in_lanes(const T* from, std::uint64_t elements, std::uint64_t stride, std::uint64_t offset) {
  std::array<double, kLanes> lo;
  std::array<double, kLanes> hi;
  lo.fill(Extent().lo);
  hi.fill(Extent().hi);
  for (std::uint64_t i = 0; i < elements; i += kLanes) {
    for (std::uint64_t lane = 0; lane < kLanes; ++lane) {
      const auto value = static_cast<double>(from[i + lane]);
      lo[lane] = value < lo[lane] ? value : lo[lane];
      hi[lane] = value > hi[lane] ? value : hi[lane];
    }
  }
  Extent extent;
  for (std::uint64_t lane = offset % stride; lane < kLanes; lane += stride) extent.add(Extent{lo[lane], hi[lane]});
  return extent;
}

template <typename T>
Extent extent_as(const T* values, std::uint64_t nodes, std::uint64_t stride, std::uint64_t offset) {
  if (kLanes % stride == 0 && nodes == kBlockNodes) return extent_in_lanes(values, nodes * stride, stride, offset);
  Extent extent;
  for (std::uint64_t i = 0; i < nodes; ++i) extent.add(static_cast<double>(values[i * stride + offset]));
  return extent;
}

}  // namespace

Extent extent_of(DataType type, std::span<const std::byte> values, std::uint64_t nodes, std::uint64_t stride,
                 std::uint64_t offset) {
  return with_type(
      type, [&]<typename T>(T) { return extent_as(reinterpret_cast<const T*>(values.data()), nodes, stride, offset); });
}

Extent extent_of(std::span<const BlockRow> rows) {
  Extent extent;
  for (const BlockRow& row : rows) extent.add(extent_in_lanes(row.data(), kBlockNodes, 1, 0));
  return extent;
}

// Always inline: so that it is compiled for the processors its caller is.
template <typename T>
[[gnu::always_inline]] inline void take_as(const std::byte* from, std::uint64_t stride, BlockRow& row) {
  const auto* values = reinterpret_cast<const T*>(from);
  if (stride == 1) {
    for (std::size_t i = 0; i < kBlockNodes; ++i) row[i] = static_cast<double>(values[i]);
  } else if (stride == 2) {
    for (std::size_t i = 0; i < kBlockNodes; ++i) row[i] = static_cast<double>(values[2 * i]);
  } else {
    for (std::size_t i = 0; i < kBlockNodes; ++i) row[i] = static_cast<double>(values[i * stride]);
  }
}

WEFT_WIDE
void take_block(DataType type, const std::byte* from, std::uint64_t stride, BlockRow& row) {
  switch (type) {  // and no lambda, which would be compiled for the oldest processor alone
    case DataType::float32: return take_as<float>(from, stride, row);
    case DataType::float64: return take_as<double>(from, stride, row);
    case DataType::int32: return take_as<std::int32_t>(from, stride, row);
    case DataType::int64: return take_as<std::int64_t>(from, stride, row);
    case DataType::uint8: return take_as<std::uint8_t>(from, stride, row);
  }
}

WEFT_WIDE
void see_resting(std::span<const BlockRow> rows, std::span<const double> spans, std::span<double, kBlockNodes> level,
                 std::span<double, kBlockNodes> value) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  double* const least = level.data();
  double* const resting = value.data();
  for (std::size_t step = 0; step < spans.size(); ++step) {
    const double* const before = rows[step].data();
    const double* const now = rows[step + 1].data();
    const double time = spans[step];
    for (std::size_t i = 0; i < kBlockNodes; ++i) {
      // Selections in place of branches, so that nodes can be taken together.
      const double flatness = std::fabs((now[i] - before[i]) / time);
      const double least_now = least[i];
      const double limit = least_now < kMostRestingSlope ? least_now : kMostRestingSlope;
      const double lowest = before[i] < resting[i] ? before[i] : resting[i];
      const double otherwise = least_now == kNone ? lowest : resting[i];
      resting[i] = flatness <= limit ? before[i] : otherwise;
      least[i] = flatness <= limit ? flatness : least_now;
    }
  }
}

WEFT_WIDE
void see_in_beat(std::span<const BlockRow> rows, std::span<double, kBlockNodes> value) {
  double* const peak = value.data();
  for (const BlockRow& row : rows.subspan(1)) {
    for (std::size_t i = 0; i < kBlockNodes; ++i) peak[i] = row[i] > peak[i] ? row[i] : peak[i];
  }
}

}  // namespace weft::reduce
