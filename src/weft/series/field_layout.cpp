#include "weft/series/field_layout.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "weft/layout/design.hpp"
#include "weft/storage/bit_rounding.hpp"
#include "weft/storage/chunk_codec.hpp"
#include "weft/support/error.hpp"

namespace weft::series {

namespace {

constexpr std::array<std::string_view, 3> kGridAxes{"z", "y", "x"};

// The step, then the axes of the places, then components.
layout::Axes axes_of(const Shape& per_step, std::size_t places) {
  layout::Axes axes{layout::axis_named("step")};
  for (std::size_t axis = 0; axis < per_step.size(); ++axis) {
    const bool on_grid = places > 1 && places <= kGridAxes.size();
    if (axis >= places) {
      axes.push_back(layout::axis_named("component"));
    } else {
      axes.push_back(layout::axis_named(on_grid ? kGridAxes.at(kGridAxes.size() - places + axis) : "node"));
    }
  }
  return axes;
}

// What a chunk of one number a step may take: these fields are read whole more often than not.
constexpr std::uint64_t kGlobalChunkBytes = 64 << 10;

}  // namespace

Shape rows_chunk(const Shape& per_step, std::uint64_t steps, std::uint64_t element_bytes) {
  constexpr std::uint64_t kSteps = 41;
  constexpr std::uint64_t kMostBytes = 2ULL << 30;
  const std::uint64_t step_bytes = element_count(per_step) * element_bytes;
  Shape chunk{std::max<std::uint64_t>(1, std::min({kSteps, steps, kMostBytes / step_bytes}))};
  chunk.insert(chunk.end(), per_step.begin(), per_step.end());
  return chunk;
}

FieldLayout choose_layout(const FieldSpec& field, std::size_t places, std::uint64_t steps, int ranks,
                          std::uint64_t align_bytes) {
  layout::DesignRequest request;
  request.shape = {steps};
  request.shape.insert(request.shape.end(), field.per_step.begin(), field.per_step.end());
  request.axes = axes_of(field.per_step, places);
  request.element_bytes = size_of(field.type);
  request.target_bytes = field.layout.target_bytes;
  request.read_text = field.layout.reads;
  request.access = field.layout.access;
  request.ranks = static_cast<std::uint64_t>(ranks);
  request.align_bytes = align_bytes;
  request.algorithm =
      field.layout.kind == LayoutKind::isotropic ? layout::Algorithm::isotropic : layout::Algorithm::reads;
  try {
    if (const auto filters = storage::parse_rounding(field.filters, field.type).filters; !filters.empty()) {
      // How short they become is not known yet.
      request.coding = {1.0, storage::decode_bandwidth(storage::parse_filters(filters, request.element_bytes))};
    }
    if (field.support == Support::global) {
      const std::uint64_t step_bytes = element_count(field.per_step) * request.element_bytes;
      Shape chunk = request.shape;
      chunk[0] = std::clamp<std::uint64_t>(kGlobalChunkBytes / step_bytes, 1, steps);
      return {chunk, ""};
    }
    const bool given = field.layout.kind == LayoutKind::rows || field.layout.kind == LayoutKind::given;
    const layout::Design design =
        !given ? layout::design(request)
               : layout::describe(request, field.layout.kind == LayoutKind::rows
                                               ? rows_chunk(field.per_step, steps, request.element_bytes)
                                               : field.layout.chunk);
    return {design.chunk, layout::to_json(design).dump()};
  } catch (const Error& error) {
    throw Error(error.kind(), "field " + field.name, error.what());
  }
}

}  // namespace weft::series
