/* weft_dealii.h - functions of deal.II as fields of a series. With weft.h and deal.II's headers alone: everything is
 * inline, and libweft.so knows nothing of deal.II. C++17.
 *
 *   weft_dealii::Nodes nodes(dof_handler, mapping);              collective
 *   nodes.add_mesh(spec);
 *   nodes.add_field(spec, "u");
 *   weft_dealii::check(weft_create_mpi(spec, "heat.h5", MPI_COMM_WORLD, &out));
 *   nodes.put(out, "u", solution);                               each step, before weft_end_step()
 *
 * The element is FE_Q or FE_DGQ of any degree from 1 on, FE_SimplexP of degree 1, or an FESystem of one of them: then
 * the field has as many components, a node's side by side. The points of the mesh are the element's support points, so
 * that no value is interpolated: a cell of degree p is p^dim cells in the file. A series has one mesh; where the
 * triangulation is refined, end it and begin another.
 *
 * Errors are exceptions (std::runtime_error) with Weft's line. On ranks, as in weft.h: where one rank alone has failed,
 * the program has to call MPI_Abort.
 */
#ifndef WEFT_DEALII_H
#define WEFT_DEALII_H

#include <deal.II/base/mpi.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_dgq.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_tools.h>
#include <deal.II/fe/mapping.h>

#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "weft.h"

namespace weft_dealii {

/* Throws what a function of weft.h says. */
inline void check(weft_status status) {
  if (status != WEFT_OK) throw std::runtime_error(weft_last_error());
}

/* The support points of a DoFHandler, as points and cells of a file. */
template <int dim, int spacedim = dim>
class Nodes {
 public:
  /* The DoFHandler has its degrees of freedom, on the ranks that its triangulation has. Collective. */
  Nodes(const dealii::DoFHandler<dim, spacedim>& dofs, const dealii::Mapping<dim, spacedim>& mapping)
      : dofs_(&dofs), components_(dofs.get_fe().n_components()), nodes_(dofs.get_triangulation()) {
    const auto& element = dofs.get_fe();
    if (dofs.has_hp_capabilities() || element.n_base_elements() != 1 || element.base_element(0).n_components() != 1)
      throw std::runtime_error("weft_dealii: " + element.get_name() + " is not one element, or several of one");
    const std::vector<Cell> split = cells_of(element.base_element(0));
    nodes_.distribute_dofs(element.base_element(0));
    for (const auto node : nodes_.locally_owned_dofs()) ids_.push_back(node);
    changed_ = dofs.get_triangulation().signals.any_change.connect([this] { is_changed_ = true; });

    std::map<Index, dealii::Point<spacedim>> points;
    dealii::DoFTools::map_dofs_to_support_points(mapping, nodes_, points);
    for (const std::uint64_t id : ids_) {
      const auto& point = points.at(static_cast<Index>(id));
      for (unsigned axis = 0; axis < 3; ++axis) coordinates_.push_back(axis < spacedim ? point[axis % spacedim] : 0.0);
    }
    find_dofs(split);
  }
  ~Nodes() { changed_.disconnect(); }
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;

  /* The mesh of the series. Not collective. */
  void add_mesh(weft_spec* spec) const {
    check(weft_set_mesh(spec, nodes_.n_dofs(), ids_.size(), ids_.data(), coordinates_.data(), types_.size(),
                        types_.data(), sizes_.data(), connectivity_.data()));
  }

  /* A field on the nodes, of doubles, with this rank's ownership. Not collective. */
  void add_field(weft_spec* spec, const char* name) const {
    const std::array<std::uint64_t, 2> shape = {nodes_.n_dofs(), components_};
    check(weft_add_field(spec, name, WEFT_FLOAT64, components_ > 1 ? 2 : 1, shape.data()));
    check(weft_own_ids(spec, name, ids_.size(), ids_.data(), nullptr));
  }

  /* The values of a vector of this DoFHandler for the current step: Vector, LinearAlgebra::distributed::Vector, those
   * of PETSc and Trilinos, block vectors. What the rank owns is enough, ghosts are not asked. Not collective. */
  template <class Vector>
  void put(weft_writer* writer, const char* name, const Vector& vector) const {
    if (is_changed_ || vector.size() != dofs_->n_dofs())
      throw std::runtime_error(std::string("weft_dealii: ") + name +
                               ": the mesh has changed since the series began; close it, and begin another");
    std::vector<double> values(found_.size());
    vector.extract_subvector_to(found_, values);
    check(weft_put(writer, name, WEFT_FLOAT64, values.data(), values.size()));
  }

 private:
  using Index = dealii::types::global_dof_index;

  struct Cell { /* a part of an element's cell: VTK's type, and its corners as numbers of the element's nodes */
    std::uint8_t type;
    std::vector<unsigned> corners;
  };

  static std::vector<Cell> cells_of(const dealii::FiniteElement<dim, spacedim>& element) {
    constexpr std::array<std::uint8_t, 4> kLattice = {1, 3, 9, 12}, kSimplex = {1, 3, 5, 10};
    const unsigned degree = element.degree;
    const bool simplex = dynamic_cast<const dealii::FE_SimplexP<dim, spacedim>*>(&element) != nullptr;
    if (simplex && degree == 1) {
      std::vector<unsigned> corners;
      for (unsigned corner = 0; corner <= dim; ++corner) corners.push_back(corner);
      return {{kSimplex[dim], corners}};
    }
    std::vector<unsigned> number; /* of a node, by its place in the lattice */
    if (degree > 0 && dynamic_cast<const dealii::FE_Q<dim, spacedim>*>(&element) != nullptr) {
      number = dealii::FETools::lexicographic_to_hierarchic_numbering<dim>(degree);
    } else if (degree > 0 && dynamic_cast<const dealii::FE_DGQ<dim, spacedim>*>(&element) != nullptr) {
      for (unsigned node = 0; node < element.n_dofs_per_cell(); ++node) number.push_back(node);
    } else {
      throw std::runtime_error("weft_dealii: " + element.get_name() +
                               ": only FE_Q and FE_DGQ from degree 1 on, and FE_SimplexP of degree 1, have nodes here");
    }
    /* VTK goes around a face, deal.II from row to row. */
    constexpr std::array<std::array<unsigned, 3>, 8> kCorners = {
        {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
    const unsigned y = degree + 1, z = y * y, many_y = dim > 1 ? degree : 1, many_z = dim > 2 ? degree : 1;
    std::vector<Cell> cells;
    for (unsigned k = 0; k < many_z; ++k)
      for (unsigned j = 0; j < many_y; ++j)
        for (unsigned i = 0; i < degree; ++i) {
          Cell cell{kLattice[dim], {}};
          for (unsigned corner = 0; corner < 1U << dim; ++corner) {
            const auto& to = kCorners[corner];
            cell.corners.push_back(number[(i + to[0]) + y * (j + to[1]) + z * (k + to[2])]);
          }
          cells.push_back(std::move(cell));
        }
    return cells;
  }

  /* The cells of this rank, and which degrees of freedom its nodes have. */
  void find_dofs(const std::vector<Cell>& split) {
    const auto& element = dofs_->get_fe();
    const auto& owned = nodes_.locally_owned_dofs();
    constexpr Index kNone = dealii::numbers::invalid_dof_index;
    found_.assign(ids_.size() * components_, kNone);
    std::vector<Index> of_nodes(nodes_.get_fe().n_dofs_per_cell()), of_dofs(element.n_dofs_per_cell());
    auto cell = dofs_->begin_active();
    for (const auto& node_cell : nodes_.active_cell_iterators()) {
      const auto& here = cell++;
      if (node_cell->is_artificial()) continue;
      node_cell->get_dof_indices(of_nodes);
      here->get_dof_indices(of_dofs);
      for (unsigned i = 0; i < of_dofs.size(); ++i) {
        const auto [component, in_base] = element.system_to_component_index(i);
        if (!owned.is_element(of_nodes[in_base])) continue;
        found_[owned.index_within_set(of_nodes[in_base]) * components_ + component] = of_dofs[i];
      }
      if (!node_cell->is_locally_owned()) continue;
      for (const Cell& part : split) {
        types_.push_back(part.type);
        sizes_.push_back(static_cast<std::int64_t>(part.corners.size()));
        for (const unsigned corner : part.corners)
          connectivity_.push_back(static_cast<std::int64_t>(of_nodes[corner]));
      }
    }
    for (const Index dof : found_) {
      if (dof != kNone && dofs_->locally_owned_dofs().is_element(dof)) continue;
      throw std::runtime_error("weft_dealii: a node's degrees of freedom are not all on the rank that has the node");
    }
  }

  const dealii::DoFHandler<dim, spacedim>* dofs_;
  unsigned components_;
  dealii::DoFHandler<dim, spacedim> nodes_; /* of one component: its numbers are those of the points */
  std::vector<std::uint64_t> ids_;          /* of the nodes of this rank */
  std::vector<double> coordinates_;         /* x, y, z of each */
  std::vector<Index> found_;                /* of each, and each component, the number in a vector */
  std::vector<std::uint8_t> types_;
  std::vector<std::int64_t> sizes_, connectivity_;
  bool is_changed_ = false;
  boost::signals2::connection changed_;
};

}  // namespace weft_dealii

#endif
