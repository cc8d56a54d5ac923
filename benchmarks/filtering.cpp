// benchmarks/filtering.cpp - what compressed writing is measured against, for benchmarks/filtering.py.
//
//   filtering encode IN.h5 FILTER CHUNK           each rank filters its chunks, and writes nothing
//   filtering hdf5   IN.h5 FILTER CHUNK OUT.h5    HDF5's collective writes of a dataset with the same filters
//
// IN.h5 is a series without filters: its first field, whose nodes are dealt out in blocks. CHUNK is steps,nodes. Values
// are read before the clock runs. Prints JSON: the seconds of the slowest rank, and the bytes after filtering.
#include <fmt/format.h>
#include <hdf5.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "weft/storage/chunk_codec.hpp"

namespace {

using Clock = std::chrono::steady_clock;

struct Series {
  hid_t file;
  hid_t dataset;
  hsize_t extents[3];  // steps, nodes, components
};

Series open_series(const char* path) {
  Series series{};
  series.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  series.dataset = H5Dopen2(series.file, "/Data", H5P_DEFAULT);
  if (series.dataset < 0) std::exit(1);
  H5Sget_simple_extent_dims(H5Dget_space(series.dataset), series.extents, nullptr);
  return series;
}

struct Block {
  hsize_t first;
  hsize_t count;
};

// Whole chunks of nodes, dealt out as evenly as they go.
Block block_of(hsize_t nodes, hsize_t chunk, int rank, int ranks) {
  const hsize_t chunks = (nodes + chunk - 1) / chunk;
  const auto edge = [&](int r) {
    return std::min(nodes, chunks * static_cast<hsize_t>(r) / static_cast<hsize_t>(ranks) * chunk);
  };
  return {edge(rank), edge(rank + 1) - edge(rank)};
}

std::vector<double> read_window(const Series& series, hsize_t step, hsize_t steps, const Block& block) {
  std::vector<double> values(steps * block.count * series.extents[2]);
  const hsize_t start[] = {step, block.first, 0};
  const hsize_t count[] = {steps, block.count, series.extents[2]};
  const hid_t space = H5Dget_space(series.dataset);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
  const hid_t memory = H5Screate_simple(3, count, nullptr);
  H5Dread(series.dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data());
  H5Sclose(memory);
  H5Sclose(space);
  return values;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 5) return 1;
  const std::string mode = argv[1];
  const Series series = open_series(argv[2]);
  const auto filters = weft::storage::parse_filters(argv[3], sizeof(double));
  const std::string chunk_text = argv[4];
  const hsize_t chunk_steps = std::stoull(chunk_text);
  const hsize_t chunk_nodes = std::stoull(chunk_text.substr(chunk_text.find(',') + 1));
  const hsize_t components = series.extents[2];
  const Block block = block_of(series.extents[1], chunk_nodes, rank, ranks);

  hid_t file = -1;
  hid_t dataset = -1;
  const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
  double seconds = 0;
  const auto timed = [&](const auto& work) {
    MPI_Barrier(MPI_COMM_WORLD);
    const auto begin = Clock::now();
    work();
    seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  };
  if (mode == "hdf5") {
    timed([&] {
      const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
      H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
      H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
      file = H5Fcreate(argv[5], H5F_ACC_TRUNC, H5P_DEFAULT, access);
      const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
      const hsize_t chunk[] = {chunk_steps, chunk_nodes, components};
      H5Pset_chunk(properties, 3, chunk);
      weft::storage::add_filters(properties, filters);
      H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
      dataset = H5Dcreate2(file, "/Data", H5T_NATIVE_DOUBLE, H5Screate_simple(3, series.extents, nullptr), H5P_DEFAULT,
                           properties, H5P_DEFAULT);
      H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
    });
    if (dataset < 0) return 1;
  }
  std::uint64_t stored = 0;
  weft::storage::ChunkCoder coder(filters);
  for (hsize_t step = 0; step < series.extents[0]; step += chunk_steps) {
    const hsize_t steps = std::min(chunk_steps, series.extents[0] - step);
    const std::vector<double> values = read_window(series, step, steps, block);
    if (mode == "hdf5") {
      const hsize_t start[] = {step, block.first, 0};
      const hsize_t count[] = {steps, block.count, components};
      timed([&] {
        const hid_t space = H5Dget_space(dataset);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
        const hid_t memory = H5Screate_simple(3, count, nullptr);
        if (H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, transfer, values.data()) < 0) std::exit(1);
        H5Sclose(memory);
        H5Sclose(space);
      });
      continue;
    }
    // Chunks as they lie in memory before they are filtered: padded at the edges.
    std::vector<std::vector<double>> chunks;
    for (hsize_t node = 0; node < block.count; node += chunk_nodes) {
      std::vector<double>& chunk = chunks.emplace_back(chunk_steps * chunk_nodes * components);
      const hsize_t nodes = std::min(chunk_nodes, block.count - node);
      for (hsize_t s = 0; s < steps; ++s) {
        const double* from = values.data() + (s * block.count + node) * components;
        std::copy(from, from + nodes * components, chunk.data() + s * chunk_nodes * components);
      }
    }
    timed([&] {
      for (const auto& chunk : chunks) stored += coder.encode(std::as_bytes(std::span(chunk))).bytes.size();
    });
  }
  if (mode == "hdf5") {
    timed([&] {
      H5Dclose(dataset);
      H5Fclose(file);
    });
  }
  double slowest = 0;
  std::uint64_t all = 0;
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&stored, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) fmt::print("{{\"seconds\": {}, \"bytes\": {}}}\n", slowest, all);
  H5Pclose(transfer);
  H5Dclose(series.dataset);
  H5Fclose(series.file);
  MPI_Finalize();
  return 0;
}
