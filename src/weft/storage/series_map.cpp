#include "weft/storage/series_map.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::storage {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ChunkAddresses, base, stride, listed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ArrayMap, path, type, shape, chunk, addresses, filters)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FieldMap, name, type, per_step, support, units, rationale, components, subset)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GridMap, shape, origin, spacing)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SegmentMap, first_step, steps, fields)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SeriesMap, path, format_version, created_by, fields, segments, length, viewed,
                                   commit, durable, writer, grid, fixed_arrays)

std::string_view name_of(Support support) {
  switch (support) {
    case Support::nodes: return "nodes";
    case Support::cells: return "cells";
    case Support::global: return "global";
  }
  return "nodes";
}

Support support_of(std::string_view name) {
  if (name == "cells") return Support::cells;
  return name == "global" ? Support::global : Support::nodes;
}

std::optional<std::size_t> SeriesMap::find_field(const std::string& name) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const FieldMap& f) { return f.name == name; });
  if (found == fields.end()) return std::nullopt;
  return static_cast<std::size_t>(found - fields.begin());
}

const ArrayMap* SeriesMap::find_fixed(const std::string& wanted) const {
  const auto found =
      std::find_if(fixed_arrays.begin(), fixed_arrays.end(), [&](const ArrayMap& a) { return a.path == wanted; });
  return found == fixed_arrays.end() ? nullptr : &*found;
}

std::vector<std::byte> to_bytes(const SeriesMap& map) {
  const std::vector<std::uint8_t> cbor = nlohmann::json::to_cbor(nlohmann::json(map));
  const auto* data = reinterpret_cast<const std::byte*>(cbor.data());
  return {data, data + cbor.size()};
}

SeriesMap series_map_from_bytes(const std::vector<std::byte>& bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return nlohmann::json::from_cbor(data, data + bytes.size()).get<SeriesMap>();
}

std::uint64_t committed_steps(const std::vector<std::uint64_t>& slots) {
  std::uint64_t least = kIdleSlot;
  for (const std::uint64_t slot : slots) least = std::min(least, slot);
  return least == kIdleSlot ? 0 : least;
}

}  // namespace weft::storage
