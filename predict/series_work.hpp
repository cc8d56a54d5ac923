// predict/series_work.hpp - what Weft's own writer does for a series, rank by rank: windows, mail, requests.
//
// Chunks and the length of windows come from the functions that the writer asks (series/field_layout,
// series/window_length); its requests are those of storage/write_plan. Ownership is taken as even blocks, and what
// travels is for the time estimated from them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "predict/rates.hpp"
#include "predict/series_shape.hpp"
#include "predict/workload.hpp"

namespace weft::predict {

// A mesh of so many bytes, of which each rank makes and writes an even share while the file is made.
void write_mesh(RankSteps& rank, std::uint64_t bytes, std::uint64_t ranks, std::uint64_t most_request_bytes,
                const Rates& rates);

// At most three groups: ranks that own one chunk more than the other writers, those, and ranks that do not write.
struct SeriesWork {
  std::vector<RankGroup> groups;
  std::vector<std::pair<std::size_t, std::uint64_t>> order;  // as Workload::order
  std::optional<Messages> messages{};
  Requests requests{};  // that make no part of the mesh
};
SeriesWork series_work(const SeriesShape& shape, const Rates& rates);
// The same `times` times, as the work of a run.
void write_series(const SeriesShape& shape, const Rates& rates, std::uint64_t times, Workload& work);

}  // namespace weft::predict
