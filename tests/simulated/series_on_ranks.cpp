// tests/simulated/series_on_ranks.cpp - what `weft run ecg` and `weft run awp --strategy series` write, on the
// simulated ranks of SMPI. Prints one line of JSON: what all ranks counted, and what the busiest of them sent.
//
//   series_on_ranks ecg NODES STEPS FILE
//   series_on_ranks awp XxYxZ STEPS FILE
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "kernels/awp/awp_grid.hpp"
#include "kernels/io/extent.hpp"
#include "weft/series/series_writer.hpp"
#include "weft/support/mpi_communicator.hpp"

namespace {

using weft::FieldSpec;
using weft::Shape;
using weft::partition::Ownership;

FieldSpec field(const std::string& name, weft::DataType type, const Shape& per_step, const weft::Box& box) {
  FieldSpec spec;
  spec.name = name;
  spec.type = type;
  spec.per_step = per_step;
  spec.owned = Ownership::box(per_step, box);
  return spec;
}

std::vector<FieldSpec> fields_of(const std::string& kernel, const std::string& size, std::uint64_t rank,
                                 std::uint64_t ranks) {
  if (kernel == "ecg") {
    const std::uint64_t nodes = std::stoull(size);
    const auto [first, count] = weft::partition::even_block(nodes, static_cast<int>(rank), static_cast<int>(ranks));
    return {field("Data", weft::DataType::float64, {nodes, 2}, {{first, 0}, {count, 2}})};
  }
  const weft::kernels::Extent points = weft::kernels::parse_extent("size", size);
  const weft::kernels::awp::ProcessGrid grid(points, weft::kernels::awp::even_processes(points, ranks));
  const auto [start, count] = grid.part_of(rank);
  std::vector<FieldSpec> fields;
  for (const char* name : {"v0", "v1", "v2"}) {
    fields.push_back(field(name, weft::DataType::float32, {points[2], points[1], points[0]},
                           {{start[2], start[1], start[0]}, {count[2], count[1], count[0]}}));
  }
  return fields;
}

template <typename T>
void put(weft::SeriesWriter& writer, const FieldSpec& field, std::uint64_t step, std::uint64_t rank) {
  std::vector<T> values(field.owned.local_elements());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>((step * 31 + rank * 7 + i) % 1000);
  writer.put<T>(field.name, values);
}

void run(const std::string& kernel, const std::string& size, std::uint64_t steps, const std::string& file) {
  const auto comm = std::make_shared<weft::MpiCommunicator>(MPI_COMM_WORLD);
  const auto rank = static_cast<std::uint64_t>(comm->rank());
  weft::SeriesSpec spec;
  spec.steps = steps;
  spec.options.sync = weft::Sync::none;
  spec.options.commit_seconds = 0;  // the clock of a simulation may pass a minute between two steps
  spec.fields = fields_of(kernel, size, rank, static_cast<std::uint64_t>(comm->size()));
  if (kernel == "awp") spec.grid.shape = spec.fields[0].per_step;
  auto writer = weft::SeriesWriter::create(comm, file, spec);
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (const FieldSpec& of : spec.fields) {
      kernel == "ecg" ? put<double>(writer, of, step, rank) : put<float>(writer, of, step, rank);
    }
    writer.end_step(static_cast<double>(step));
  }
  writer.close();
  const auto& counters = writer.counters();
  const std::uint64_t writes = comm->sum(counters.app_writes);
  const std::uint64_t slots = comm->sum(counters.app_slot_writes);
  const std::uint64_t bytes = comm->sum(counters.app_bytes);
  const std::uint64_t messages = comm->sum(counters.mpi_messages);
  const std::uint64_t most_messages = comm->max(counters.mpi_messages);
  const std::uint64_t windows = comm->max(counters.windows);
  const std::uint64_t sent = comm->sum(counters.mpi_bytes);
  if (rank != 0) return;
  std::printf(R"({"writes": %lu, "slots": %lu, "bytes": %lu, "messages": %lu, "most_messages": %lu, "windows": %lu, )"
              R"("sent": %lu, "simulated_seconds": %.6f})"
              "\n",
              writes, slots, bytes, messages, most_messages, windows, sent, MPI_Wtime());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    if (argc != 5) throw std::runtime_error("series_on_ranks ecg|awp SIZE STEPS FILE");
    run(argv[1], argv[2], std::stoull(argv[3]), argv[4]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "series_on_ranks: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
