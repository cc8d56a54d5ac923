#include "predict/layers.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "predict/layer_bench.hpp"
#include "predict/measured_rates.hpp"
#include "weft/support/error.hpp"

namespace weft::predict {

using stores::StoreProfile;

namespace {

// Rank 0's figures, on all ranks. Collective.
void share(Communicator& comm, StoreProfile& profile) {
  std::vector<std::byte> text;
  if (comm.rank() == 0) {
    const std::string words = stores::to_json(profile).dump();
    const auto bytes = std::as_bytes(std::span(words));
    text.assign(bytes.begin(), bytes.end());
  }
  comm.broadcast(text, 0);
  const std::string words(reinterpret_cast<const char*>(text.data()), text.size());
  profile = stores::profile_from_json(nlohmann::ordered_json::parse(words), "the profile of rank 0");
}

}  // namespace

void measure_layers(MpiCommunicator& comm, const std::string& folder, double seconds,
                    const std::function<bool()>& interrupted, StoreProfile& profile) {
  const auto add = [&](MpiCommunicator& ranks) {
    Runs runs(ranks, folder, seconds, interrupted);
    LayerBench bench(runs, profile);
    measure_mpi_layers(bench);
    measure_series_layers(bench);
    for (stores::CallCell& cell : std::move(bench).cells()) profile.calls.push_back(std::move(cell));
  };
  if (comm.size() > 1) {
    MPI_Comm alone = MPI_COMM_NULL;
    MPI_Comm_split(comm.handle(), comm.rank() == 0 ? 0 : MPI_UNDEFINED, 0, &alone);
    agree_on(comm, [&] {
      if (alone == MPI_COMM_NULL) return;
      MpiCommunicator one(alone);
      add(one);
    });
    if (alone != MPI_COMM_NULL) MPI_Comm_free(&alone);
  }
  add(comm);
  if (auto rates = measured_rates(comm); comm.rank() == 0) profile.rates.merge(rates);
  if (const MessageCost message = message_cost(comm); comm.rank() == 0 && message.bytes_per_s > 0) {
    profile.rates["message"] = message.bytes_per_s;
    profile.calls.push_back({"message", 2, message.start_s, 1 / message.start_s});
  }
  share(comm, profile);
}

}  // namespace weft::predict
