// kernels/ecg/step_source.hpp - where the kernel's step values come from.
//
// A source knows the shape of one step, deals its nodes to the ranks and fills a rank's values of a step on demand.
// Three of them: synthetic (a formula), replay (the recorded steps of a file, whoever wrote it) and solve (the
// simulation itself). Sources never touch Weft's own writing.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/ecg/solve/solve_options.hpp"
#include "weft/partition/ownership.hpp"
#include "weft/series/series_spec.hpp"
#include "weft/support/communicator.hpp"
#include "weft/support/data_type.hpp"

namespace weft::kernels::ecg {

// How nodes are dealt to ranks.
enum class Dealing {
  blocks,   // contiguous, as even as possible
  uneven,   // contiguous, rank r's share grows with r, and every third rank (0 too) has nothing
  scatter,  // node n on rank (n * 2654435761 mod 2^32) mod ranks, in falling order
};
Dealing parse_dealing(const std::string& text);

// How many nodes each rank gets.
std::vector<std::uint64_t> dealt_counts(Dealing dealing, std::uint64_t nodes, std::uint64_t ranks);

// The nodes of one rank, in the order of its local array.
std::vector<std::uint64_t> dealt_nodes(Dealing dealing, std::uint64_t nodes, int rank, int ranks);

struct SourceField {
  std::string name;
  std::string units;
  DataType type = DataType::float64;
  Shape per_step;
  partition::Ownership owned = partition::Ownership::none({});
  std::vector<std::string> components{};  // names of a node's values, where they have any
  Support support = Support::nodes;
  Attributes attributes{};
  std::optional<std::vector<std::uint64_t>> subset{};  // as FieldSpec::subset
  std::vector<std::string> component_units{};          // as FieldSpec::component_units
};

// A part of a source's state: rows of numbers, some of them on this rank.
struct StateField {
  std::string name;
  Shape shape;
  partition::Ownership owned = partition::Ownership::none({});
  std::vector<double> values;
};

class StepSource {
 public:
  virtual ~StepSource() = default;
  virtual const std::vector<SourceField>& fields() const = 0;
  virtual std::uint64_t steps() const = 0;
  virtual std::uint64_t nodes() const = 0;
  virtual double time_of(std::uint64_t step) = 0;
  virtual std::string time_units() const { return "ms"; }
  // This rank's values of one field at one step; valid until the next call. Steps come in ascending order, and the
  // fields of a step in theirs. Collective.
  virtual std::span<const std::byte> values(std::size_t field, std::uint64_t step) = 0;

  // The mesh its nodes are those of, this rank's part; nothing where there is none. It refers to memory that
  // forget_mesh() gives back.
  virtual std::optional<MeshSpec> mesh() { return std::nullopt; }
  virtual void forget_mesh() {}
  // What it has to say of itself when the run ends; null for nothing. Collective; the same on all ranks.
  virtual nlohmann::json report() { return nullptr; }
  // Its whole state after the step that was asked for last, as fields for a checkpoint; empty where it keeps none.
  virtual std::vector<StateField> state() const { return {}; }
  // Goes on from a state that was kept after `step`; `fields` as state() gives them, with their values.
  virtual void restore(std::uint64_t /*step*/, const std::vector<StateField>& /*fields*/) {}
};

// What synthetic_source() has, without the ranks' parts: one field Data (nodes, 2) where `joint`, else V and phi_e.
std::vector<SourceField> synthetic_fields(std::uint64_t nodes, bool joint);

// The formula of docs/format.md, "The synthetic source".
// With a mesh of exactly its nodes (box_mesh.hpp) where `mesh` says so.
std::unique_ptr<StepSource> synthetic_source(Communicator& comm, std::uint64_t nodes, std::uint64_t steps, bool joint,
                                             bool mesh, Dealing dealing);

// `from` is FILE or FILE:DATASET; without one, its only field, /Data, or else the largest with nodes. Those of a grid
// are numbered row-major. `nodes` and `steps`, where given, take only so many from the start. With `mesh`, a file of
// Weft's brings its mesh along, if all nodes are taken; every rank holds it whole for a moment. Collective; errors are
// agreed.
std::unique_ptr<StepSource> replay_source(Communicator& comm, const std::string& from,
                                          std::optional<std::uint64_t> nodes, std::optional<std::uint64_t> steps,
                                          bool mesh, Dealing dealing);

// The forward problem of the electrocardiogram, solved (bidomain/bidomain.hpp): V on the heart's nodes and phi_e on
// all, or, where `joint`, one field Data (nodes, 2) with NaN for V outside; and the potentials of the electrodes, where
// the mesh has any. `nodes` for meshes that can be had in any size. Collective; agreed errors, among them one that says
// what is missing in a build without PETSc.
std::unique_ptr<StepSource> solve_source(MPI_Comm comm, const SolveOptions& options, std::optional<std::uint64_t> nodes,
                                         bool joint, bool mesh);

}  // namespace weft::kernels::ecg
