#include "kernels/io/rank_accounts.hpp"

#include <algorithm>

namespace weft::kernels {

namespace {

using nlohmann::json;

json packed(const Calls& calls) { return {calls.opens, calls.closes, calls.seeks, json(calls.write_sizes)}; }

Calls calls_of(const json& packed) {
  return {packed[0].get<std::uint64_t>(), packed[1].get<std::uint64_t>(), packed[2].get<std::uint64_t>(),
          packed[3].get<std::map<std::uint64_t, std::uint64_t>>()};
}

json packed(const CallLatency& latency) { return {latency.counts(), latency.most()}; }

CallLatency latency_of(const json& packed) {
  return CallLatency::of(packed[0].get<std::array<std::uint64_t, CallLatency::kBins>>(), packed[1].get<double>());
}

json packed(const PhaseTimes& times) {
  return {times.build,
          times.open,
          times.write,
          times.close,
          times.compress,
          packed(times.calls.open),
          packed(times.calls.read),
          packed(times.calls.write),
          packed(times.calls.end_step),
          packed(times.calls.close)};
}

PhaseTimes times_of(const json& packed) {
  return {packed[0].get<double>(),
          packed[1].get<double>(),
          packed[2].get<double>(),
          packed[3].get<double>(),
          packed[4].get<double>(),
          {latency_of(packed[5]), latency_of(packed[6]), latency_of(packed[7]), latency_of(packed[8]),
           latency_of(packed[9])}};
}

std::vector<std::byte> packed(const Done& done) {
  const std::vector<std::uint8_t> cbor = json::to_cbor({packed(done.app), packed(done.mpi), packed(done.system),
                                                        packed(done.times), done.bytes, done.output, done.aside});
  const auto bytes = std::as_bytes(std::span(cbor));
  return {bytes.begin(), bytes.end()};
}

json unpacked(const std::vector<std::byte>& bytes) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return json::from_cbor(first, first + bytes.size());
}

Done done_of(const json& packed) {
  return {calls_of(packed[0]),
          calls_of(packed[1]),
          calls_of(packed[2]),
          times_of(packed[3]),
          packed[4].get<std::uint64_t>(),
          packed[5].get<double>(),
          packed[6].get<double>()};
}

}  // namespace

Done& Done::operator+=(const Done& other) {
  app += other.app;
  mpi += other.mpi;
  system += other.system;
  times += other.times;
  bytes += other.bytes;
  output += other.output;
  aside += other.aside;
  return *this;
}

std::vector<Done> gathered(Communicator& comm, const Done& mine) {
  std::vector<std::vector<std::byte>> outgoing(static_cast<std::size_t>(comm.size()));
  outgoing[0] = packed(mine);
  std::vector<Done> ranks;
  for (const std::vector<std::byte>& message : comm.all_to_all(outgoing)) {
    if (comm.rank() == 0) ranks.push_back(done_of(unpacked(message)));
  }
  return ranks;
}

nlohmann::ordered_json seconds_per_rank(const std::vector<Done>& ranks) {
  nlohmann::ordered_json spread = nlohmann::ordered_json::object();
  const auto add = [&](const char* name, const auto& seconds_of) {
    std::vector<double> seconds;
    seconds.reserve(ranks.size());
    for (const Done& rank : ranks) seconds.push_back(seconds_of(rank));
    std::sort(seconds.begin(), seconds.end());
    if (seconds.empty() || seconds.back() == 0) return;
    const double below = seconds[(seconds.size() - 1) / 2];
    const double above = seconds[seconds.size() / 2];
    spread[name] = {{"min", seconds.front()}, {"median", (below + above) / 2}, {"max", seconds.back()}};
  };
  add("output", [](const Done& rank) { return rank.output; });
  add("build", [](const Done& rank) { return rank.times.build; });
  add("open", [](const Done& rank) { return rank.times.open; });
  add("write", [](const Done& rank) { return rank.times.write; });
  add("close", [](const Done& rank) { return rank.times.close; });
  add("compress", [](const Done& rank) { return rank.times.compress; });
  return spread;
}

nlohmann::ordered_json report_of(Communicator& comm, const Done& mine,
                                 const std::function<nlohmann::ordered_json(const std::vector<Done>&)>& make) {
  const std::vector<Done> ranks = gathered(comm, mine);
  std::vector<std::byte> bytes;
  agree_on(comm, [&] {
    if (comm.rank() != 0) return;
    const std::vector<std::uint8_t> cbor = nlohmann::ordered_json::to_cbor(make(ranks));
    const auto made = std::as_bytes(std::span(cbor));
    bytes.assign(made.begin(), made.end());
  });
  comm.broadcast(bytes, 0);
  const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return nlohmann::ordered_json::from_cbor(first, first + bytes.size());
}

}  // namespace weft::kernels
