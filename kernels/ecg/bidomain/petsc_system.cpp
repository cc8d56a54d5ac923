#include "kernels/ecg/bidomain/petsc_system.hpp"

#include <fmt/format.h>
#include <petscksp.h>

#include <algorithm>
#include <sstream>

#include "weft/support/error.hpp"
#include "weft/support/mpi_communicator.hpp"

namespace weft::kernels::ecg {

namespace {

static_assert(sizeof(PetscInt) == 4, "PETSc with 32-bit indices, as the packages have it");

void check(PetscErrorCode code, const char* what) {
  if (code == 0) return;
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  throw Error(ErrorKind::system, fmt::format("PETSc: {}", what),
              text != nullptr ? text : fmt::format("error {}", code));
}

// Tells PETSc that a vector's values were changed where it does not see it: what it remembers of them is old.
void touch(const PetscVector& vector) {
  double* values = nullptr;
  check(VecGetArray(vector.handle(), &values), "vector");
  check(VecRestoreArray(vector.handle(), &values), "vector");
}

// "-name value -name value" into PETSc's options, but for names that have a value there.
void set_where_unsaid(const std::string& defaults) {
  std::istringstream words(defaults);
  std::string name;
  std::string value;
  while (words >> name >> value) {
    PetscBool there = PETSC_FALSE;
    check(PetscOptionsHasName(nullptr, nullptr, name.c_str(), &there), "options");
    if (there == PETSC_FALSE) check(PetscOptionsSetValue(nullptr, name.c_str(), value.c_str()), "options");
  }
}

}  // namespace

PetscSession::PetscSession(MPI_Comm comm, const std::string& options) {
  PETSC_COMM_WORLD = comm;
  check(PetscInitializeNoArguments(), "start");
  check(PetscPopSignalHandler(), "signals");  // a crash is the shell's to report
  check(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr), "errors");
  if (!options.empty()) check(PetscOptionsInsertString(nullptr, options.c_str()), "options");
}

PetscSession::~PetscSession() {
  // Options that no solver asked for are mistyped ones; PETSc would list them over half a page.
  PetscOptionsSetValue(nullptr, "-options_left", "0");
  PetscFinalize();
}

PetscVector::PetscVector(MPI_Comm comm, std::int32_t local) {
  check(VecCreateMPI(comm, local, PETSC_DETERMINE, &vector_), "vector");
  double* values = nullptr;
  check(VecGetArray(vector_, &values), "vector");
  values_ = {values, static_cast<std::size_t>(local)};
  check(VecRestoreArray(vector_, &values), "vector");
}

PetscVector::~PetscVector() { VecDestroy(&vector_); }

PetscMatrix::PetscMatrix(MPI_Comm comm, const CompressedRows& rows) {
  const auto local = static_cast<PetscInt>(rows.begins.size() - 1);
  check(MatCreateMPIAIJWithArrays(comm, local, local, PETSC_DETERMINE, PETSC_DETERMINE, rows.begins.data(),
                                  rows.columns.data(), rows.values.data(), &matrix_),
        "matrix");
  check(MatSetOption(matrix_, MAT_SYMMETRIC, PETSC_TRUE), "matrix");
  check(MatSetOption(matrix_, MAT_SYMMETRY_ETERNAL, PETSC_TRUE), "matrix");
}

PetscMatrix::~PetscMatrix() { MatDestroy(&matrix_); }

void PetscMatrix::multiply(const PetscVector& x, PetscVector& product) const {
  touch(x);
  check(MatMult(matrix_, x.handle(), product.handle()), "matrix times vector");
}

void PetscMatrix::set_constant_kernel() {
  MatNullSpace kernel = nullptr;
  check(MatNullSpaceCreate(PetscObjectComm(reinterpret_cast<PetscObject>(matrix_)), PETSC_TRUE, 0, nullptr, &kernel),
        "null space");
  check(MatSetNullSpace(matrix_, kernel), "null space");
  check(MatSetTransposeNullSpace(matrix_, kernel), "null space");
  check(MatNullSpaceDestroy(&kernel), "null space");
}

PetscSolver::PetscSolver(const PetscMatrix& matrix, const std::string& name, const std::string& defaults,
                         double tolerance, double floor)
    : name_(name) {
  set_where_unsaid(defaults);
  check(KSPCreate(PetscObjectComm(reinterpret_cast<PetscObject>(matrix.handle())), &solver_), "solver");
  check(KSPSetOptionsPrefix(solver_, (name + "_").c_str()), "solver");
  check(KSPSetOperators(solver_, matrix.handle(), matrix.handle()), "solver");
  check(KSPSetType(solver_, KSPCG), "solver");
  check(KSPSetNormType(solver_, KSP_NORM_UNPRECONDITIONED), "solver");
  check(KSPSetTolerances(solver_, tolerance, floor, PETSC_DEFAULT, 1000), "solver");
  check(KSPSetInitialGuessNonzero(solver_, PETSC_TRUE), "solver");
  check(KSPSetFromOptions(solver_), "solver options");
  check(KSPSetUp(solver_), "solver");
}

PetscSolver::~PetscSolver() { KSPDestroy(&solver_); }

void PetscSolver::solve(const PetscVector& right, PetscVector& x) {
  touch(right);
  touch(x);
  check(KSPSolve(solver_, right.handle(), x.handle()), "solve");
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt iterations = 0;
  check(KSPGetConvergedReason(solver_, &reason), "solve");
  check(KSPGetIterationNumber(solver_, &iterations), "solve");
  ++convergence_.solves;
  convergence_.iterations += static_cast<std::uint64_t>(iterations);
  convergence_.most_iterations = std::max(convergence_.most_iterations, static_cast<std::uint64_t>(iterations));
  if (reason >= 0) return;
  throw Error(ErrorKind::system, "the equations of " + name_,
              fmt::format("were not solved in {} iterations ({})", iterations, KSPConvergedReasons[reason]),
              fmt::format("give a larger --tolerance or --petsc \"-{}_ksp_max_it ..\", or mend the mesh", name_))
      .agreed();
}

std::vector<std::int32_t> graph_partition(MPI_Comm comm, const CompressedRows& rows,
                                          std::span<const std::int32_t> weights, std::uint64_t equations) {
  const auto local = static_cast<PetscInt>(rows.begins.size() - 1);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  PetscInt first = 0;
  MPI_Exscan(&local, &first, 1, MPI_INT, MPI_SUM, comm);
  if (rank == 0) first = 0;
  // PETSc takes these over, and frees them.
  PetscInt* begins = nullptr;
  PetscInt* neighbours = nullptr;
  check(PetscMalloc1(rows.begins.size(), &begins), "graph");
  check(PetscMalloc1(rows.columns.size() + 1, &neighbours), "graph");
  PetscInt* work = nullptr;
  check(PetscMalloc1(weights.size() + 1, &work), "graph");
  std::copy(weights.begin(), weights.end(), work);
  PetscInt entries = 0;
  for (PetscInt row = 0; row < local; ++row) {
    begins[row] = entries;
    for (PetscInt i = rows.begins[static_cast<std::size_t>(row)]; i < rows.begins[static_cast<std::size_t>(row) + 1];
         ++i) {
      const PetscInt column = rows.columns[static_cast<std::size_t>(i)];
      if (column != first + row) neighbours[entries++] = column;
    }
  }
  begins[local] = entries;
  Mat graph = nullptr;
  check(MatCreateMPIAdj(comm, local, static_cast<PetscInt>(equations), begins, neighbours, nullptr, &graph), "graph");
  MatPartitioning partitioning = nullptr;
  check(MatPartitioningCreate(comm, &partitioning), "partition");
  check(MatPartitioningSetAdjacency(partitioning, graph), "partition");
  check(MatPartitioningSetVertexWeights(partitioning, work), "partition");
  check(MatPartitioningSetNParts(partitioning, ranks), "partition");
  check(MatPartitioningSetFromOptions(partitioning), "partition");
  IS parts = nullptr;
  check(MatPartitioningApply(partitioning, &parts), "partition");
  const PetscInt* mine = nullptr;
  check(ISGetIndices(parts, &mine), "partition");
  std::vector<int> counts(static_cast<std::size_t>(ranks));
  check_mpi(MPI_Allgather(&local, 1, MPI_INT, counts.data(), 1, MPI_INT, comm), "MPI_Allgather");
  std::vector<int> begin_of(static_cast<std::size_t>(ranks), 0);
  for (std::size_t r = 1; r < begin_of.size(); ++r) begin_of[r] = begin_of[r - 1] + counts[r - 1];
  std::vector<std::int32_t> rank_of(equations);
  check_mpi(MPI_Allgatherv(mine, local, MPI_INT, rank_of.data(), counts.data(), begin_of.data(), MPI_INT, comm),
            "MPI_Allgatherv");
  check(ISRestoreIndices(parts, &mine), "partition");
  ISDestroy(&parts);
  MatPartitioningDestroy(&partitioning);
  MatDestroy(&graph);
  return rank_of;
}

}  // namespace weft::kernels::ecg
