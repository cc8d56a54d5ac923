#include "weft/reduce/conduction.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "weft/reduce/beats.hpp"
#include "weft/reduce/edge_paths.hpp"
#include "weft/support/error.hpp"

namespace weft::reduce {

namespace {

template <typename T>
void append(std::vector<std::byte>& bytes, std::span<const T> values) {
  const auto more = std::as_bytes(values);
  bytes.insert(bytes.end(), more.begin(), more.end());
}

template <typename T>
std::vector<T> values_of(std::span<const std::byte> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace

std::vector<std::vector<double>> distances_from(Communicator& comm, std::uint64_t origin, std::uint64_t nodes,
                                                const std::function<view::Mesh()>& mesh,
                                                std::span<const NodeRange> ranges) {
  std::vector<double> all;
  agree_on(comm, [&] {
    if (comm.rank() != 0) return;
    const view::Mesh whole = mesh();
    if (whole.points.size() / 3 != nodes) {
      throw Error(ErrorKind::usage, "the mesh",
                  fmt::format("has {} points, the field {} nodes", whole.points.size() / 3, nodes),
                  "name the mesh it was computed on");
    }
    all = edge_distances(whole.points, whole.cells, origin);
  });
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::vector<std::byte>> asked(ranks);
  append(asked[0], ranges);
  const auto wishes = comm.all_to_all(asked);
  std::vector<std::vector<std::byte>> answers(ranks);
  for (std::size_t rank = 0; rank < ranks && comm.rank() == 0; ++rank) {
    for (const NodeRange& range : values_of<NodeRange>(wishes[rank])) {
      append(answers[rank], std::span<const double>(all).subspan(range.first, range.count));
    }
  }
  all = {};
  const std::vector<double> mine = values_of<double>(comm.all_to_all(answers)[0]);
  std::vector<std::vector<double>> distances;
  for (auto at = mine.begin(); const NodeRange& range : ranges) {
    distances.emplace_back(at, at + static_cast<std::ptrdiff_t>(range.count));
    at += static_cast<std::ptrdiff_t>(range.count);
  }
  return distances;
}

void to_velocities(std::span<double> upstroke_times, std::span<const double> distances, double origin_time) {
  for (std::size_t i = 0; i < upstroke_times.size(); ++i) {
    const double velocity = distances[i] / (upstroke_times[i] - origin_time);
    upstroke_times[i] = std::isfinite(velocity) ? velocity : kMissing;
  }
}

}  // namespace weft::reduce
