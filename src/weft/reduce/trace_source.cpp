#include "weft/reduce/trace_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "weft/support/error.hpp"

namespace weft::reduce {

namespace {

// Rows of a chunk are read in parts where it is larger: from about this size on a request costs what its bytes cost.
constexpr std::uint64_t kRequestBytes = 64ULL << 10;
// What is looked at as soon as it is read should still be in the processor's cache.
constexpr std::uint64_t kTogetherBytes = 2ULL << 20;

void check_times(const std::string& path, const std::vector<double>& times) {
  if (times.empty()) throw Error(ErrorKind::usage, path, "has no steps to reduce", "wait for the run's first window");
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (std::isfinite(times[i]) && (i == 0 || times[i] > times[i - 1])) continue;
    throw Error(ErrorKind::data, path, fmt::format("its times do not rise: step {} is at {}", i, times[i]),
                "quantities over time need times that do");
  }
}

// As choose_field() knows it: the path of a dataset becomes the name of its field.
std::string by_name(const SeriesReader& reader, const std::string& wanted) {
  if (wanted.empty()) return reader.chosen_field(wanted);
  if (wanted.find('/') == std::string::npos) return wanted;
  const std::size_t colon = wanted.rfind(':');
  return reader.field(wanted.substr(0, colon)).name + (colon == std::string::npos ? "" : wanted.substr(colon));
}

}  // namespace

TraceSource TraceSource::open(Communicator& comm, const std::string& path, const std::string& field) {
  SeriesReader reader = SeriesReader::open(comm, path);
  std::optional<TraceSource> source;
  agree_on(comm, [&] { source = TraceSource(std::move(reader), field); });
  return *std::move(source);
}

TraceSource::TraceSource(SeriesReader reader, const std::string& wanted)
    : reader_(std::move(reader)),
      times_(reader_.times()),
      choice_(choose_field(reader_.path(), reader_.fields(), by_name(reader_, wanted))),
      name_(reader_.fields()[choice_.field].name) {
  check_times(reader_.path(), times_);
  const storage::FieldEntry& chosen = field();
  const Shape& chunk = reader_.catalog().segments[0].fields[*reader_.catalog().find_field(name_)].chunk;
  chunk_steps_ = chunk[0];
  // On a grid, whole rows (planes) along its first axis.
  const std::uint64_t row = nodes() / chosen.per_step[0];
  nodes_together_ = std::min(chunk[1], chosen.per_step[0]) * row;
  if (reader_.reads_directly(name_)) {
    nodes_together_ = std::min(nodes_together_, ceil_div(ceil_div(kRequestBytes, row_bytes()), row) * row);
  }
}

const std::string& TraceSource::units() const {
  const storage::FieldEntry& chosen = field();
  return chosen.component_units.empty() ? chosen.units : chosen.component_units[choice_.component];
}

std::uint64_t TraceSource::steps_together(std::uint64_t nodes) const {
  const std::uint64_t cached = std::max<std::uint64_t>(1, kTogetherBytes / (nodes * row_bytes()));
  // A chunk that is decoded is decoded once.
  return reader_.reads_directly(name_) ? std::min(chunk_steps_, cached) : ceil_div(cached, chunk_steps_) * chunk_steps_;
}

TraceBlock TraceSource::begin(std::uint64_t first, std::uint64_t count) {
  first_ = first;
  count_ = count;
  bytes_.resize(count * bytes_a_node());
  return {field().type, bytes_, times_.size(), count, choice_.components, choice_.component};
}

void TraceSource::read_steps(std::uint64_t from, std::uint64_t steps) {
  const std::uint64_t step_bytes = count_ * row_bytes();
  reader_.read_nodes(name_, first_, count_, from, steps,
                     std::span<std::byte>(bytes_).subspan(from * step_bytes, steps * step_bytes));
}

}  // namespace weft::reduce
