// kernels/ecg/bidomain/petsc_system.hpp - the little of PETSc that the solver uses: vectors, matrices, a Krylov method.
//
// Built only where PETSc is found. Every call is collective over the communicator that PETSc was started on, but those
// that look at a rank's own values. What PETSc finds wrong is thrown as Error.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "kernels/ecg/solve/sparse_rows.hpp"

// PETSc's own names, so that its headers are for the .cpp alone.
using Vec = struct _p_Vec*;  // NOLINT(bugprone-reserved-identifier)
using Mat = struct _p_Mat*;  // NOLINT(bugprone-reserved-identifier)
using KSP = struct _p_KSP*;  // NOLINT(bugprone-reserved-identifier)

namespace weft::kernels::ecg {

// PETSc runs while one of these lives. `options` are PETSc's own, "-phi_e_ksp_monitor ..".
class PetscSession {
 public:
  PetscSession(MPI_Comm comm, const std::string& options);
  ~PetscSession();
  PetscSession(const PetscSession&) = delete;
  PetscSession& operator=(const PetscSession&) = delete;
};

class PetscVector {
 public:
  PetscVector(MPI_Comm comm, std::int32_t local);
  ~PetscVector();
  PetscVector(const PetscVector&) = delete;
  PetscVector& operator=(const PetscVector&) = delete;

  // This rank's values, to be read and changed while no PETSc call uses them.
  std::span<double> values() { return values_; }
  std::span<const double> values() const { return values_; }
  Vec handle() const { return vector_; }

 private:
  std::span<double> values_;
  Vec vector_ = nullptr;
};

class PetscMatrix {
 public:
  // Square, this rank's rows; symmetric.
  PetscMatrix(MPI_Comm comm, const CompressedRows& rows);
  ~PetscMatrix();
  PetscMatrix(const PetscMatrix&) = delete;
  PetscMatrix& operator=(const PetscMatrix&) = delete;

  void multiply(const PetscVector& x, PetscVector& product) const;
  // The matrix takes all constants to zero.
  void set_constant_kernel();
  Mat handle() const { return matrix_; }

 private:
  Mat matrix_ = nullptr;
};

struct Convergence {
  std::uint64_t solves = 0;
  std::uint64_t iterations = 0;
  std::uint64_t most_iterations = 0;  // of one solve
};

// Conjugate gradients with one matrix and many right-hand sides.
class PetscSolver {
 public:
  // `name` is the prefix of its PETSc options ("phi_e" for -phi_e_ksp_rtol) and names it in errors. `defaults` are
  // options that hold where the session's do not say otherwise. `tolerance` is relative to the right-hand side; below
  // `floor` (of the residual's norm) nothing more is asked.
  PetscSolver(const PetscMatrix& matrix, const std::string& name, const std::string& defaults, double tolerance,
              double floor);
  ~PetscSolver();
  PetscSolver(const PetscSolver&) = delete;
  PetscSolver& operator=(const PetscSolver&) = delete;

  // From what `x` holds. Throws Error(system), agreed, where it does not converge.
  void solve(const PetscVector& right, PetscVector& x);
  const Convergence& convergence() const { return convergence_; }

 private:
  std::string name_;
  KSP solver_ = nullptr;
  Convergence convergence_;
};

// A partition of the graph whose vertices are a matrix's equations and whose edges are its entries: the rank of each
// equation, on every rank. `rows` and `weights` (how much work an equation makes) are this rank's.
std::vector<std::int32_t> graph_partition(MPI_Comm comm, const CompressedRows& rows,
                                          std::span<const std::int32_t> weights, std::uint64_t equations);

}  // namespace weft::kernels::ecg
