// Heat on a disc, solved by deal.II on MPI ranks: second-order elements, implicit steps, every 5th written.
//   mpirun -n 2 example_dealii_heat disc.h5
#include <deal.II/base/function_lib.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/petsc_precondition.h>
#include <deal.II/lac/petsc_solver.h>
#include <deal.II/lac/petsc_sparse_matrix.h>
#include <deal.II/lac/petsc_vector.h>
#include <deal.II/lac/sparsity_tools.h>
#include <deal.II/numerics/vector_tools.h>
#include <mpi.h>
#include <weft_dealii.h>

#include <iostream>

using namespace dealii;

void solve(const char* path) {
  const double dt = 0.002;
  parallel::distributed::Triangulation<2> disc(MPI_COMM_WORLD);
  GridGenerator::hyper_ball(disc);
  disc.refine_global(4);
  const MappingQ<2> mapping(2);
  const FE_Q<2> element(2);
  DoFHandler<2> dofs(disc);
  dofs.distribute_dofs(element);

  // Mass + dt * stiffness, and the mass alone; nothing flows through the rim.
  const IndexSet owned = dofs.locally_owned_dofs();
  IndexSet relevant;
  DoFTools::extract_locally_relevant_dofs(dofs, relevant);
  DynamicSparsityPattern pattern(relevant);
  DoFTools::make_sparsity_pattern(dofs, pattern);
  SparsityTools::distribute_sparsity_pattern(pattern, owned, MPI_COMM_WORLD, relevant);
  PETScWrappers::MPI::SparseMatrix mass, step;
  mass.reinit(owned, owned, pattern, MPI_COMM_WORLD);
  step.reinit(owned, owned, pattern, MPI_COMM_WORLD);
  const QGauss<2> points(3);
  FEValues<2> values(mapping, element, points, update_values | update_gradients | update_JxW_values);
  const unsigned n = element.n_dofs_per_cell();
  FullMatrix<double> m(n, n), s(n, n);
  std::vector<types::global_dof_index> numbers(n);
  for (const auto& cell : dofs.active_cell_iterators()) {
    if (!cell->is_locally_owned()) continue;
    values.reinit(cell);
    m = 0;
    for (const unsigned q : values.quadrature_point_indices())
      for (unsigned i = 0; i < n; ++i)
        for (unsigned j = 0; j < n; ++j) m(i, j) += values.shape_value(i, q) * values.shape_value(j, q) * values.JxW(q);
    s = m;
    for (const unsigned q : values.quadrature_point_indices())
      for (unsigned i = 0; i < n; ++i)
        for (unsigned j = 0; j < n; ++j)
          s(i, j) += dt * values.shape_grad(i, q) * values.shape_grad(j, q) * values.JxW(q);
    cell->get_dof_indices(numbers);
    mass.add(numbers, m);
    step.add(numbers, s);
  }
  mass.compress(VectorOperation::add);
  step.compress(VectorOperation::add);

  PETScWrappers::MPI::Vector u(owned, MPI_COMM_WORLD), right(owned, MPI_COMM_WORLD);
  VectorTools::interpolate(mapping, dofs, Functions::CosineFunction<2>(), u);

  weft_spec* spec = weft_spec_new();
  const weft_dealii::Nodes<2> nodes(dofs, mapping);
  nodes.add_mesh(spec);
  nodes.add_field(spec, "u");
  weft_dealii::check(weft_set_field(spec, "u", "units", "K"));
  weft_writer* out = nullptr;
  weft_dealii::check(weft_create_mpi(spec, path, MPI_COMM_WORLD, &out));
  weft_spec_free(spec);
  for (int number = 0; number <= 100; ++number) {
    if (number % 5 == 0) {
      nodes.put(out, "u", u);
      weft_dealii::check(weft_end_step(out, number * dt));
    }
    mass.vmult(right, u);
    SolverControl control(1000, 1e-12);
    PETScWrappers::SolverCG(control, MPI_COMM_WORLD).solve(step, u, right, PETScWrappers::PreconditionJacobi(step));
  }
  weft_dealii::check(weft_close(out));
}

int main(int argc, char** argv) {
  Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  try {
    solve(argc > 1 ? argv[1] : "disc.h5");
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return 0;
}
