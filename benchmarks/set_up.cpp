// benchmarks/set_up.cpp - what a series costs before its first step and after its last, for benchmarks/set_up.py.
//
//   set_up OUT.h5 CHUNKS OWNERSHIP
//
// On MPI ranks: creates a series with room for so many chunks of 1 MiB, closes it without a step, and appends to it.
// Its 6,553,600 nodes are dealt in blocks or, one by one, scattered. Room is a hole in the file: 10^7 chunks are 10 TB.
// Prints JSON: seconds of the slowest rank, calls and bytes between the ranks, memory of the largest.
#include <fmt/format.h>
#include <mpi.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/series/mpi_series.hpp"
#include "weft/series/owner_strategy.hpp"
#include "weft/support/mpi_communicator.hpp"
#include "weft/support/stopwatch.hpp"

namespace {

using namespace weft;  // NOLINT(google-build-using-namespace): a program of its own

// Counts what this rank takes part in, and what it sends.
class CountingCommunicator final : public Communicator {
 public:
  explicit CountingCommunicator(MPI_Comm comm) : inner_(comm) {}

  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  std::uint64_t min(std::uint64_t value) override { return ++collective, inner_.min(value); }
  std::uint64_t max(std::uint64_t value) override { return ++collective, inner_.max(value); }
  std::uint64_t sum(std::uint64_t value) override { return ++collective, inner_.sum(value); }
  std::uint64_t sum_before(std::uint64_t value) override { return ++collective, inner_.sum_before(value); }
  void broadcast(std::vector<std::byte>& bytes, int root) override {
    ++collective;
    inner_.broadcast(bytes, root);
    sent += bytes.size();
  }
  std::vector<std::vector<std::byte>> all_to_all(const std::vector<std::vector<std::byte>>& outgoing) override {
    ++all_to_all_calls;
    for (const auto& one : outgoing) sent += one.size();
    return inner_.all_to_all(outgoing);
  }
  std::vector<std::uint64_t> nodes() override { return ++collective, inner_.nodes(); }
  void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) override {
    inner_.exchange(outgoing, incoming);
  }

  std::uint64_t collective = 0;
  std::uint64_t all_to_all_calls = 0;
  std::uint64_t sent = 0;  // bytes, of broadcasts and all-to-alls

 private:
  MpiCommunicator inner_;
};

std::uint64_t peak_bytes() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // Linux counts in KiB
}

std::vector<std::uint64_t> scattered(std::uint64_t nodes, int rank, int ranks) {
  std::vector<std::uint64_t> mine;
  for (std::uint64_t node = 0; node < nodes; ++node) {
    if (static_cast<int>(node * 2654435761U % (1ULL << 32U) % static_cast<std::uint64_t>(ranks)) == rank) {
      mine.push_back(node);
    }
  }
  return mine;
}

struct Phase {
  double seconds;
  std::uint64_t collective, all_to_all, sent, peak;
};

template <typename Action>
Phase measured(CountingCommunicator& comm, const Action& action) {
  const std::uint64_t collective = comm.collective;
  const std::uint64_t all_to_all = comm.all_to_all_calls;
  const std::uint64_t sent = comm.sent;
  MPI_Barrier(MPI_COMM_WORLD);
  const Stopwatch clock;
  action();
  const auto nanoseconds = static_cast<std::uint64_t>(clock.seconds() * 1e9);
  Phase phase{0, comm.collective - collective, comm.all_to_all_calls - all_to_all, comm.sent - sent, 0};
  phase.seconds = static_cast<double>(comm.max(nanoseconds)) * 1e-9;
  phase.sent = comm.max(phase.sent);
  phase.peak = comm.max(peak_bytes());
  return phase;
}

std::string text_of(std::string_view name, const Phase& phase) {
  return fmt::format(
      R"("{}": {{"seconds": {:.6f}, "collective": {}, "all_to_all": {}, "sent_bytes": {}, "peak_bytes": {}}})", name,
      phase.seconds, phase.collective, phase.all_to_all, phase.sent, phase.peak);
}

void run(const std::string& path, std::uint64_t chunks, bool blocks) {
  constexpr std::uint64_t kTiles = 100;
  constexpr std::uint64_t kChunkSteps = 2;
  constexpr std::uint64_t kTileNodes = (1U << 20U) / sizeof(double) / kChunkSteps;
  constexpr std::uint64_t kNodes = kTiles * kTileNodes;
  const auto comm = std::make_shared<CountingCommunicator>(MPI_COMM_WORLD);
  const std::uint64_t before = comm->max(peak_bytes());
  partition::Ownership owned = partition::Ownership::none({kNodes});
  if (blocks) {
    const partition::Block block = partition::even_block(kNodes, comm->rank(), comm->size());
    owned = partition::Ownership::box({kNodes}, {{block.first}, {block.count}});
  } else {
    owned = partition::Ownership::nodes({kNodes}, scattered(kNodes, comm->rank(), comm->size()));
  }
  const std::uint64_t with_ownership = comm->max(peak_bytes());

  SeriesSpec spec;
  spec.steps = chunks / kTiles * kChunkSteps;
  spec.options.sync = Sync::none;
  FieldSpec field{.name = "V", .per_step = {kNodes}, .owned = owned};
  field.layout.kind = LayoutKind::given;
  field.layout.chunk = {kChunkSteps, kTileNodes};
  spec.fields.push_back(std::move(field));

  std::unique_ptr<SeriesWriter> writer;
  const auto make = [&] {
    writer = std::make_unique<SeriesWriter>(SeriesWriter::create(comm, path, spec, series::make_owner_strategy));
  };
  const auto append = [&] {
    AppendSpec more;
    more.owned = {{"V", owned}};
    more.options.sync = Sync::none;
    writer = std::make_unique<SeriesWriter>(SeriesWriter::append(comm, path, more, series::make_owner_strategy));
  };
  const Phase created = measured(*comm, make);
  const Phase closed = measured(*comm, [&] { writer->close(); });
  writer.reset();
  const Phase appended = measured(*comm, append);
  const Phase ended = measured(*comm, [&] { writer->close(); });
  writer.reset();
  if (comm->rank() == 0) {
    fmt::print(R"({{"ranks": {}, "chunks": {}, "before_bytes": {}, "with_ownership_bytes": {}, {}, {}, {}, {}, )"
               "\"file_bytes\": {}}}\n",
               comm->size(), chunks, before, with_ownership, text_of("create", created), text_of("close", closed),
               text_of("append", appended), text_of("close_again", ended), std::filesystem::file_size(path));
    std::filesystem::remove(path);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) {
    fmt::print(stderr, "usage: set_up OUT.h5 CHUNKS blocks|scatter\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  try {
    run(argv[1], std::strtoull(argv[2], nullptr, 10), std::string_view(argv[3]) == "blocks");
  } catch (const std::exception& error) {
    fmt::print(stderr, "set_up: {}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
