#include "weft/repack/side_effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "weft/inspect/arrangement.hpp"
#include "weft/layout/design.hpp"
#include "weft/support/amount.hpp"

namespace weft::repack {

namespace {

constexpr double kMuchSlower = 3;       // times
constexpr double kLeastSeconds = 0.01;  // below, nobody waits for it
constexpr double kMuchLonger = 1.05;    // times
constexpr std::uint64_t kLeastGrowth = 1ULL << 20;

// What a read costs through HDF5, which fetches and decodes every chunk that is touched.
double seconds_through_hdf5(const layout::ReadCost& cost, const layout::AccessCost& access) {
  return access.seconds(cost.chunks, cost.hdf5_bytes) + cost.decode_seconds;
}

layout::Design usual_reads(const Chosen& chosen, Shape chunk, const std::vector<storage::Filter>& filters,
                           const layout::AccessCost& access) {
  // A chunk of a dataset that may grow may reach beyond it.
  for (std::size_t axis = 0; axis < chunk.size(); ++axis) chunk[axis] = std::min(chunk[axis], chosen.axes.shape[axis]);
  layout::DesignRequest request;
  request.shape = chosen.axes.shape;
  request.element_bytes = chosen.facts.element_bytes;
  request.axes = chosen.axes.axes;
  request.read_text = "snapshot=1,trace=1";
  request.access = access;
  request.coding = inspect::coding_of(chosen.facts, filters);
  return layout::describe(request, chunk);
}

bool is_everywhere(const storage::Filter& filter) {
  constexpr std::array<int, 6> kOfHdf5{H5Z_FILTER_DEFLATE, H5Z_FILTER_SHUFFLE, H5Z_FILTER_FLETCHER32,
                                       H5Z_FILTER_SZIP,    H5Z_FILTER_NBIT,    H5Z_FILTER_SCALEOFFSET};
  return std::find(kOfHdf5.begin(), kOfHdf5.end(), filter.id) != kOfHdf5.end();
}

}  // namespace

std::vector<std::string> side_effects(const Chosen& chosen, const RepackRequest& request) {
  std::vector<std::string> lines;
  const std::string& path = chosen.facts.path;
  const auto before_chunk = survey::chunk_as_seen(chosen.axes, chosen.facts.chunk);
  const auto after_chunk = survey::chunk_as_seen(chosen.axes, chosen.chunk);
  if (!chosen.facts.chunk.empty() && before_chunk && after_chunk && !layout::spatial_axes(chosen.axes.axes).empty()) {
    const layout::Design before = usual_reads(chosen, *before_chunk, chosen.facts.filters, request.access);
    const layout::Design after = usual_reads(chosen, *after_chunk, chosen.filters, request.access);
    for (std::size_t read = 0; read < before.reads.size(); ++read) {
      const double was = seconds_through_hdf5(before.reads[read].cost, request.access);
      const double is = seconds_through_hdf5(after.reads[read].cost, request.access);
      const std::string& name = before.reads[read].read.name;
      const bool was_asked_for = request.reads.find(name) != std::string::npos;
      if (was_asked_for || is < kMuchSlower * was || is < kLeastSeconds) continue;
      lines.push_back(fmt::format("{}: a {} through HDF5 will take {} instead of {}: name it, as in --read {},{}=1",
                                  path, name, format_seconds(is), format_seconds(was), request.reads, name));
    }
  }
  for (const storage::Filter& filter : chosen.filters) {
    const bool had = std::any_of(chosen.facts.filters.begin(), chosen.facts.filters.end(),
                                 [&](const storage::Filter& other) { return other.id == filter.id; });
    if (had || is_everywhere(filter)) continue;
    lines.push_back(
        fmt::format("{}: HDF5 reads {} with a plugin only (of Python: pip install hdf5plugin); Weft needs none", path,
                    filter.name));
  }
  return lines;
}

std::string growth(const Chosen& chosen, const RepackReport::Dataset& made) {
  if (chosen.filters.empty() || made.stored_after < made.stored_before + kLeastGrowth) return {};
  if (static_cast<double>(made.stored_after) < kMuchLonger * static_cast<double>(made.stored_before)) return {};
  return fmt::format("{}: {} were {}: smaller chunks are compressed less; a larger --target mends that",
                     chosen.facts.path, format_bytes(made.stored_after), format_bytes(made.stored_before));
}

}  // namespace weft::repack
