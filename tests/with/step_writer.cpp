// tests/with/step_writer.cpp - a program as many are: it knows nothing of Weft.
//
// It writes what paper 1's writer writes (Chaste's: doi 10.1371/journal.pone.0202410): a dataset of steps, nodes and
// variables, its steps unlimited, chunks of its own; every step the ranks fill a distributed vector of PETSc (of theirs
// alone, where there is no PETSc), make the dataset one step longer, and write their nodes by a collective hyperslab;
// one rank writes the time. Prints the seconds that a rank spent in its output, and what it closed with.
#include <hdf5.h>
#include <mpi.h>
#ifdef WITH_PETSC
#include <petscvec.h>
#endif

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

struct Options {
  std::string path = "steps.h5";
  hsize_t nodes = 10000;
  hsize_t variables = 2;
  hsize_t steps = 20;
  hsize_t chunk[3] = {1, 0, 0};  // 0: the whole axis
  hsize_t flush_every = 0;
  int deflate = 0;
  bool independent = false;
  bool fixed = false;    // the number of steps is said beforehand
  bool striped = false;  // each variable by a call of its own
  hsize_t read_every = 0;
  int die_at = -1;  // the step at which the program ends as if killed
};

Options parse(int argc, char** argv) {
  Options options;
  for (int at = 1; at < argc; ++at) {
    const std::string word = argv[at];
    const auto value = [&] { return std::strtoull(argv[++at], nullptr, 10); };
    if (word == "--nodes")
      options.nodes = value();
    else if (word == "--variables")
      options.variables = value();
    else if (word == "--steps")
      options.steps = value();
    else if (word == "--chunk")
      for (hsize_t& extent : options.chunk) extent = value();
    else if (word == "--flush-every")
      options.flush_every = value();
    else if (word == "--deflate")
      options.deflate = static_cast<int>(value());
    else if (word == "--independent")
      options.independent = true;
    else if (word == "--fixed")
      options.fixed = true;
    else if (word == "--striped")
      options.striped = true;
    else if (word == "--read-every")
      options.read_every = value();
    else if (word == "--die-at")
      options.die_at = static_cast<int>(value());
    else
      options.path = word;
  }
  return options;
}

double value_of(hsize_t step, hsize_t node, hsize_t variable) {
  return static_cast<double>((step * 7919 + node * 31 + variable * 17) % 65537) / 64.0 - 80.0;
}

void check(long long returned, const char* what) {
  if (returned >= 0) return;
  std::fprintf(stderr, "step_writer: %s failed\n", what);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

}  // namespace

int main(int argc, char** argv) {
#ifdef WITH_PETSC
  PetscInitialize(nullptr, nullptr, nullptr, nullptr);
#else
  MPI_Init(&argc, &argv);
#endif
  const Options options = parse(argc, argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto edge = [&](int of) { return options.nodes * static_cast<hsize_t>(of) / static_cast<hsize_t>(ranks); };
  const hsize_t low = edge(rank);
  const hsize_t own = edge(rank + 1) - low;

#ifdef WITH_PETSC
  Vec solution;
  VecCreateMPI(PETSC_COMM_WORLD, static_cast<PetscInt>(own * options.variables), PETSC_DETERMINE, &solution);
#else
  std::vector<double> solution(own * options.variables);
#endif

  double seconds = -MPI_Wtime();
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  const hid_t file = H5Fcreate(options.path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  check(file, "H5Fcreate");
  const hsize_t dims[3] = {options.fixed ? options.steps : 1, options.nodes, options.variables};
  const hsize_t most[3] = {options.fixed ? options.steps : H5S_UNLIMITED, options.nodes, options.variables};
  hsize_t chunk[3];
  for (int axis = 0; axis < 3; ++axis) chunk[axis] = options.chunk[axis] == 0 ? dims[axis] : options.chunk[axis];
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(creation, 3, chunk);
  if (options.deflate > 0) H5Pset_deflate(creation, static_cast<unsigned>(options.deflate));
  const hid_t space = H5Screate_simple(3, dims, most);
  const hid_t data = H5Dcreate(file, "Data", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  check(data, "H5Dcreate");
  H5Sclose(space);
  const hsize_t one = 1;
  const hsize_t unlimited = H5S_UNLIMITED;
  const hid_t time_creation = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t time_chunk = 1000;
  H5Pset_chunk(time_creation, 1, &time_chunk);
  const hid_t time_space = H5Screate_simple(1, &one, &unlimited);
  const hid_t times =
      H5Dcreate(file, "Data_Time", H5T_NATIVE_DOUBLE, time_space, H5P_DEFAULT, time_creation, H5P_DEFAULT);
  H5Sclose(time_space);
  const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
  if (!options.independent) H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
  seconds += MPI_Wtime();

  for (hsize_t step = 0; step < options.steps; ++step) {
#ifdef WITH_PETSC
    double* values = nullptr;
    VecGetArray(solution, &values);
#else
    double* values = solution.data();
#endif
    for (hsize_t node = 0; node < own; ++node) {
      for (hsize_t variable = 0; variable < options.variables; ++variable) {
        values[node * options.variables + variable] = value_of(step, low + node, variable);
      }
    }
    if (options.die_at == static_cast<int>(step)) std::abort();
    seconds -= MPI_Wtime();
    if (!options.fixed && step > 0) {
      const hsize_t longer[3] = {step + 1, options.nodes, options.variables};
      check(H5Dset_extent(data, longer), "H5Dset_extent");
    }
    const hsize_t more = step + 1;
    check(H5Dset_extent(times, &more), "H5Dset_extent");
    const hid_t file_space = H5Dget_space(data);
    const hsize_t calls = options.striped ? options.variables : 1;
    for (hsize_t call = 0; call < calls; ++call) {
      const hsize_t width = options.striped ? 1 : options.variables;
      const hsize_t start[3] = {step, low, call};
      const hsize_t count[3] = {1, own, width};
      const hsize_t in_memory[2] = {own, options.variables};
      const hsize_t memory_start[2] = {0, call};
      const hsize_t memory_count[2] = {own, width};
      const hid_t memory_space = H5Screate_simple(2, in_memory, nullptr);
      if (own == 0) {
        H5Sselect_none(file_space);
        H5Sselect_none(memory_space);
      } else {
        H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, nullptr, count, nullptr);
        H5Sselect_hyperslab(memory_space, H5S_SELECT_SET, memory_start, nullptr, memory_count, nullptr);
      }
      check(H5Dwrite(data, H5T_NATIVE_DOUBLE, memory_space, file_space, transfer, values), "H5Dwrite");
      H5Sclose(memory_space);
    }
    H5Sclose(file_space);
    if (rank == 0) {
      const double time = static_cast<double>(step) * 0.5;
      const hid_t all_times = H5Dget_space(times);
      const hid_t this_time = H5Screate_simple(1, &one, nullptr);
      H5Sselect_hyperslab(all_times, H5S_SELECT_SET, &step, nullptr, &one, nullptr);
      check(H5Dwrite(times, H5T_NATIVE_DOUBLE, this_time, all_times, H5P_DEFAULT, &time), "H5Dwrite of the time");
      H5Sclose(this_time);
      H5Sclose(all_times);
    }
    if (options.flush_every > 0 && (step + 1) % options.flush_every == 0)
      check(H5Fflush(file, H5F_SCOPE_GLOBAL), "H5Fflush");
    if (options.read_every > 0 && (step + 1) % options.read_every == 0 && own > 0) {
      // What it wrote itself, read back: node low, over all steps so far.
      std::vector<double> back((step + 1) * options.variables);
      const hid_t from = H5Dget_space(data);
      const hsize_t start[3] = {0, low, 0};
      const hsize_t count[3] = {step + 1, 1, options.variables};
      H5Sselect_hyperslab(from, H5S_SELECT_SET, start, nullptr, count, nullptr);
      const hsize_t length = back.size();
      const hid_t into = H5Screate_simple(1, &length, nullptr);
      check(H5Dread(data, H5T_NATIVE_DOUBLE, into, from, H5P_DEFAULT, back.data()), "H5Dread");
      for (hsize_t s = 0; s <= step; ++s) {
        for (hsize_t v = 0; v < options.variables; ++v) {
          if (back[s * options.variables + v] != value_of(s, low, v)) {
            std::fprintf(stderr, "step_writer: rank %d read another value of step %llu\n", rank,
                         static_cast<unsigned long long>(s));
            MPI_Abort(MPI_COMM_WORLD, 4);
          }
        }
      }
      H5Sclose(from);
      H5Sclose(into);
    }
    seconds += MPI_Wtime();
#ifdef WITH_PETSC
    VecRestoreArray(solution, &values);
#endif
  }
  seconds -= MPI_Wtime();
  H5Dclose(data);
  H5Dclose(times);
  const herr_t closed = H5Fclose(file);
  MPI_Barrier(MPI_COMM_WORLD);
  seconds += MPI_Wtime();
  check(closed, "H5Fclose");
  H5Pclose(access);
  H5Pclose(creation);
  H5Pclose(time_creation);
  H5Pclose(transfer);
  double longest = 0;
  MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("{\"output_seconds\": %.6f, \"ranks\": %d}\n", longest, ranks);
#ifdef WITH_PETSC
  VecDestroy(&solution);
  PetscFinalize();
#else
  MPI_Finalize();
#endif
  return 0;
}
