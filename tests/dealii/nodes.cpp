// nodes ELEMENT DIM DEGREE COMPONENTS VECTOR FILE - a polynomial on a cube that is refined here and there, 3 steps of
// it.
//
// ELEMENT: q, dgq or simplex; VECTOR: distributed, petsc, trilinos or serial (which is on one rank). `refined` in place
// of a vector: refines between two steps, which has to be refused.
#include <deal.II/base/function.h>
#include <deal.II/base/mpi.h>
#include <deal.II/distributed/shared_tria.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/petsc_vector.h>
#include <deal.II/lac/trilinos_vector.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/vector_tools.h>
#include <mpi.h>
#include <weft_dealii.h>

#include <cstdlib>
#include <iostream>
#include <memory>

using namespace dealii;

// x + 2 y + 4 z + 8 component + 100 step: exact in a float64 at points of a cube that is halved.
template <int dim>
class Linear : public Function<dim> {
 public:
  Linear(unsigned components, double step) : Function<dim>(components), step_(step) {}
  double value(const Point<dim>& p, unsigned component) const override {
    double sum = 0;
    for (int axis = dim - 1; axis >= 0; --axis) sum = 2 * sum + p[axis];
    return sum + 8.0 * component + 100 * step_;
  }

 private:
  double step_;
};

template <int dim, class Vector>
void write(Triangulation<dim>& cube, const DoFHandler<dim>& dofs, const Mapping<dim>& mapping, Vector& u, bool refine,
           const char* path) {
  const unsigned components = dofs.get_fe().n_components();
  weft_spec* spec = weft_spec_new();
  const weft_dealii::Nodes<dim> nodes(dofs, mapping);
  nodes.add_mesh(spec);
  nodes.add_field(spec, "u");
  weft_writer* out = nullptr;
  weft_dealii::check(weft_create_mpi(spec, path, MPI_COMM_WORLD, &out));
  weft_spec_free(spec);
  for (int step = 0; step < 3; ++step) {
    if (!refine) VectorTools::interpolate(mapping, dofs, Linear<dim>(components, step), u);
    nodes.put(out, "u", u);
    weft_dealii::check(weft_end_step(out, step));
    if (refine) cube.refine_global(1);
  }
  weft_dealii::check(weft_close(out));
}

template <int dim>
void run(const std::string& element_name, unsigned degree, unsigned components, const std::string& vector,
         const char* path) {
  const bool simplex = element_name == "simplex";
  std::unique_ptr<Triangulation<dim>> cube;
  if (simplex) {
    cube = std::make_unique<parallel::shared::Triangulation<dim>>(MPI_COMM_WORLD, Triangulation<dim>::none, true);
    GridGenerator::subdivided_hyper_cube_with_simplices(*cube, 4);
  } else {
    cube = std::make_unique<parallel::distributed::Triangulation<dim>>(MPI_COMM_WORLD);
    GridGenerator::hyper_cube(*cube);
    cube->refine_global(2);
    for (const auto& cell : cube->active_cell_iterators()) {
      if (cell->is_locally_owned() && cell->center()[0] < 0.3) cell->set_refine_flag();
    }
    cube->execute_coarsening_and_refinement();
  }
  std::unique_ptr<FiniteElement<dim>> base;
  if (simplex)
    base = std::make_unique<FE_SimplexP<dim>>(degree);
  else if (element_name == "dgq")
    base = std::make_unique<FE_DGQ<dim>>(degree);
  else
    base = std::make_unique<FE_Q<dim>>(degree);
  std::unique_ptr<Mapping<dim>> mapping;
  if (simplex)
    mapping = std::make_unique<MappingFE<dim>>(FE_SimplexP<dim>(1));
  else
    mapping = std::make_unique<MappingQ1<dim>>();
  DoFHandler<dim> dofs(*cube);
  dofs.distribute_dofs(FESystem<dim>(*base, components));

  const IndexSet owned = dofs.locally_owned_dofs();
  const bool refine = vector == "refined";
  if (vector == "petsc") {
    PETScWrappers::MPI::Vector u(owned, MPI_COMM_WORLD);
    write(*cube, dofs, *mapping, u, refine, path);
  } else if (vector == "trilinos") {
    TrilinosWrappers::MPI::Vector u(owned, MPI_COMM_WORLD);
    write(*cube, dofs, *mapping, u, refine, path);
  } else if (vector == "serial") {
    Vector<double> u(dofs.n_dofs());
    write(*cube, dofs, *mapping, u, refine, path);
  } else {
    IndexSet relevant;
    DoFTools::extract_locally_relevant_dofs(dofs, relevant);
    LinearAlgebra::distributed::Vector<double> u(owned, relevant, MPI_COMM_WORLD);
    write(*cube, dofs, *mapping, u, refine, path);
  }
}

int main(int argc, char** argv) {
  Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  if (argc != 7) return 2;
  const unsigned degree = static_cast<unsigned>(std::atoi(argv[3]));
  const unsigned components = static_cast<unsigned>(std::atoi(argv[4]));
  try {
    if (std::string(argv[2]) == "2")
      run<2>(argv[1], degree, components, argv[5], argv[6]);
    else
      run<3>(argv[1], degree, components, argv[5], argv[6]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return 0;
}
