#include "weft/storage/series_catalog.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "weft/support/error.hpp"

namespace weft::storage {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ChunkAddresses::Stretch, first, address)

// Addresses as JSON: nothing, the stretches, or a list of them all.
class AddressCode {
 public:
  static nlohmann::json encode(const ChunkAddresses& addresses) {
    if (!addresses.known()) return nullptr;
    if (!addresses.listed_.empty()) return addresses.listed_;
    return {{"stretches", addresses.stretches_}, {"pitch", addresses.pitch_}};
  }
  static ChunkAddresses decode(const nlohmann::json& code) {
    if (code.is_null()) return {};
    if (code.is_array()) return ChunkAddresses::listed(code.get<std::vector<std::uint64_t>>());
    return ChunkAddresses::in_stretches(code.at("stretches").get<std::vector<ChunkAddresses::Stretch>>(),
                                        code.at("pitch").get<std::uint64_t>());
  }
};

void to_json(nlohmann::json& code, const ChunkAddresses& addresses) { code = AddressCode::encode(addresses); }
void from_json(const nlohmann::json& code, ChunkAddresses& addresses) { addresses = AddressCode::decode(code); }
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ArrayEntry, path, type, shape, chunk, addresses, filters)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FieldEntry, name, type, per_step, support, units, rationale, components, subset,
                                   node_axes, component_units, filter, kept_bits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RegularGrid, shape, origin, spacing)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ChunkRoom, index, stretches, blank_bytes, pitch)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SegmentEntry, first_step, steps, fields, rooms, align)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SeriesCatalog, path, format_version, created_by, fields, segments, length, viewed,
                                   commit, durable, writer, grid, fixed_arrays, in_pages)

namespace {

std::vector<std::byte> as_cbor(const nlohmann::json& json) {
  const std::vector<std::uint8_t> cbor = nlohmann::json::to_cbor(json);
  const auto* data = reinterpret_cast<const std::byte*>(cbor.data());
  return {data, data + cbor.size()};
}

nlohmann::json from_cbor(const std::vector<std::byte>& bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return nlohmann::json::from_cbor(data, data + bytes.size());
}

}  // namespace

ChunkAddresses ChunkAddresses::in_a_row(std::uint64_t first, std::uint64_t chunk_bytes) {
  return in_stretches({{0, first}}, chunk_bytes);
}

ChunkAddresses ChunkAddresses::in_stretches(std::vector<Stretch> stretches, std::uint64_t pitch) {
  ChunkAddresses result;
  result.stretches_ = std::move(stretches);
  result.pitch_ = pitch;
  return result;
}

ChunkAddresses ChunkAddresses::listed(std::vector<std::uint64_t> addresses) {
  ChunkAddresses result;
  result.listed_ = std::move(addresses);
  return result;
}

std::uint64_t ChunkAddresses::look_up(std::uint64_t number) const {
  if (number < listed_.size() && listed_[number] != kNowhere) return listed_[number];
  if (!stretches_.empty()) {
    const auto behind = std::upper_bound(stretches_.begin(), stretches_.end(), number,
                                         [](std::uint64_t n, const Stretch& stretch) { return n < stretch.first; });
    const Stretch& stretch = *std::prev(behind);
    return stretch.address + (number - stretch.first) * pitch_;
  }
  throw Error(ErrorKind::data, fmt::format("chunk {}", number), "has no known address in the file",
              "h5repack may write the file so that it has one");
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> ChunkAddresses::byte_ranges(std::uint64_t chunks,
                                                                                 std::uint64_t chunk_bytes) const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  if (!known()) return ranges;
  for (std::size_t i = 0; i < stretches_.size() && stretches_[i].first < chunks; ++i) {
    const std::uint64_t end = i + 1 < stretches_.size() ? std::min(stretches_[i + 1].first, chunks) : chunks;
    const std::uint64_t last = stretches_[i].address + (end - stretches_[i].first - 1) * pitch_;
    ranges.emplace_back(stretches_[i].address, last + chunk_bytes);
  }
  if (!stretches_.empty()) return ranges;
  for (std::uint64_t number = 0; number < chunks; ++number) ranges.emplace_back(at(number), at(number) + chunk_bytes);
  return ranges;
}

std::vector<std::byte> to_bytes(const ChunkAddresses& addresses) { return as_cbor(addresses); }
ChunkAddresses chunk_addresses_from_bytes(const std::vector<std::byte>& bytes) {
  return from_cbor(bytes).get<ChunkAddresses>();
}

std::uint64_t ArrayEntry::chunks() const {
  std::uint64_t count = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) count *= ceil_div(shape[axis], chunk[axis]);
  return count;
}

std::uint64_t ArrayEntry::address() const {
  check_addresses(*this);
  if (chunk != shape) {
    throw Error(ErrorKind::data, path, fmt::format("lies in chunks of {}, not in one piece", to_string(chunk)),
                "another tool rewrote the file: weft reads what h5repack -l CONTI makes of it");
  }
  return addresses.at(0);
}

void check_addresses(const ArrayEntry& array) {
  if (!array.filters.empty()) {
    throw Error(ErrorKind::data, array.path,
                fmt::format("is filtered ({}), which Weft does not read yet", fmt::join(array.filters, ", ")),
                "read it with h5py or h5dump");
  }
  if (!array.addresses.known()) {
    throw Error(ErrorKind::data, array.path, "has chunks whose addresses are not known", "read it with h5py or h5dump");
  }
}

void check_writable(const SeriesCatalog& catalog) {
  if (catalog.in_pages) {
    throw Error(ErrorKind::data, catalog.path, "has its space in pages (weft repack --cloud): it cannot be appended to",
                "weft repack --cloud=none makes a copy that can");
  }
  const auto check = [&](const ArrayEntry& array) {
    if (array.filters.empty() && array.addresses.known()) return;
    if (catalog.has_rooms() && !array.filters.empty()) return;  // then its chunks are filtered as they are written
    const std::string why = array.filters.empty() ? "has chunks whose addresses are not known"
                                                  : fmt::format("has filters ({})", fmt::join(array.filters, ", "));
    throw Error(ErrorKind::data, catalog.path, fmt::format("{} {}: it cannot be appended to", array.path, why),
                "weft import makes a copy that can");
  };
  for (const SegmentEntry& segment : catalog.segments)
    std::for_each(segment.fields.begin(), segment.fields.end(), check);
  std::for_each(catalog.fixed_arrays.begin(), catalog.fixed_arrays.end(), check);
  for (const ArrayEntry* slots : {&catalog.commit, &catalog.durable, &catalog.writer}) {
    if (!slots->shape.empty()) check(*slots);
  }
}

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

Shape places_of(const FieldEntry& field) {
  const auto end =
      field.per_step.begin() + static_cast<std::ptrdiff_t>(std::min(field.node_axes, field.per_step.size()));
  return {field.per_step.begin(), end};
}

std::uint64_t nodes_of(const FieldEntry& field) { return element_count(places_of(field)); }

std::size_t node_axes_of(const Shape& per_step, Support support, const RegularGrid& grid) {
  if (support == Support::global || per_step.empty()) return 0;
  const std::size_t axes = grid.shape.size();
  const bool on_grid = support == Support::nodes && axes > 0 && axes <= per_step.size() &&
                       std::equal(grid.shape.begin(), grid.shape.end(), per_step.begin());
  return on_grid ? axes : 1;
}

std::uint64_t components_of(const FieldEntry& field) {
  const auto begin =
      field.per_step.begin() + static_cast<std::ptrdiff_t>(std::min(field.node_axes, field.per_step.size()));
  return element_count({begin, field.per_step.end()});
}

std::optional<std::size_t> field_called(std::span<const FieldEntry> fields, const std::string& name) {
  std::optional<std::size_t> found;
  std::size_t ending = 0;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (fields[f].name == name) return f;
    if (!fields[f].name.ends_with("/" + name)) continue;
    found = f;
    ++ending;
  }
  return ending == 1 ? found : std::nullopt;
}

StepRoom SeriesCatalog::room_around(std::uint64_t step) const {
  if (has_rooms()) return {0, step < capacity() ? capacity() : 2 * capacity()};
  const auto found = std::find_if(segments.begin(), segments.end(), [&](const SegmentEntry& segment) {
    return step >= segment.first_step && step - segment.first_step < segment.steps;
  });
  return found == segments.end() ? StepRoom{capacity(), capacity()} : StepRoom{found->first_step, found->steps};
}

std::optional<std::size_t> SeriesCatalog::find_field(const std::string& name) const {
  return field_called(fields, name);
}

const ArrayEntry* SeriesCatalog::find_fixed(const std::string& wanted) const {
  const auto found =
      std::find_if(fixed_arrays.begin(), fixed_arrays.end(), [&](const ArrayEntry& a) { return a.path == wanted; });
  return found == fixed_arrays.end() ? nullptr : &*found;
}

std::vector<std::byte> to_bytes(const SeriesCatalog& catalog) { return as_cbor(catalog); }
SeriesCatalog catalog_from_bytes(const std::vector<std::byte>& bytes) { return from_cbor(bytes).get<SeriesCatalog>(); }

std::uint64_t committed_steps(const std::vector<std::uint64_t>& slots) {
  std::uint64_t least = kIdleSlot;
  for (const std::uint64_t slot : slots) least = std::min(least, slot);
  return least == kIdleSlot ? 0 : least;
}

}  // namespace weft::storage
