// bindings/spec.hpp - what a weft_spec holds, and what it becomes on a rank.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/handles.hpp"
#include "bindings/status.hpp"
#include "weft/partition/ownership.hpp"
#include "weft/series/series_spec.hpp"
#include "weft/support/communicator.hpp"

namespace weft::c {

// The arrays of a mesh, which MeshSpec only points at.
struct MeshArrays {
  std::uint64_t total = 0;
  std::optional<partition::Ownership> owned{};  // empty: an even share
  std::vector<double> coordinates{};
  std::vector<std::uint8_t> types{};
  std::vector<std::int64_t> sizes{};
  std::vector<std::int64_t> connectivity{};
};

DataType type_of(weft_type type);
weft_type type_of(DataType type);

}  // namespace weft::c

struct weft_spec {
  weft::SeriesSpec series;                                  // fields without their ownership
  std::map<std::string, weft::partition::Ownership> owned;  // of the fields that say it
  std::optional<weft::c::MeshArrays> mesh;
  std::optional<std::uint64_t> from_step;
  std::map<std::string, std::string, std::less<>> of_ranks;  // strategy, hint.NAME, stripe_count, stripe_size

  // Throws Error(usage) where there is none of this name.
  weft::FieldSpec& field(std::string_view name);
};

namespace weft::c {

// What is created, or appended, by this rank. Collective. The result points into `spec`.
SeriesSpec series_of(const weft_spec& spec, Communicator& comm);
AppendSpec append_of(const weft_spec& spec, Communicator& comm, const std::string& path);

}  // namespace weft::c
