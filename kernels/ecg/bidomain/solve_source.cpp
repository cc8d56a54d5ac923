// The steps of a simulation that runs while they are written.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "kernels/ecg/bidomain/bidomain.hpp"
#include "kernels/ecg/bidomain/chosen_conductivities.hpp"
#include "kernels/ecg/bidomain/gmsh_mesh.hpp"
#include "kernels/ecg/heart/mesh_file.hpp"
#include "kernels/ecg/solve/assembly.hpp"
#include "kernels/ecg/step_source.hpp"
#include "kernels/io/mesh_part.hpp"
#include "weft/support/cell_type.hpp"
#include "weft/support/error.hpp"
#include "weft/support/mpi_communicator.hpp"
#include "weft/support/stopwatch.hpp"

namespace weft::kernels::ecg {

namespace {

// Every rank reads the file; where one cannot, none goes on.
HeartMesh mesh_from_file(MPI_Comm mpi_comm, const SolveOptions& options, std::optional<std::uint64_t> nodes) {
  if (nodes) {
    throw Error(ErrorKind::usage, "--mesh " + options.mesh, "has as many nodes as it has", "leave --nodes out");
  }
  MpiCommunicator comm(mpi_comm);
  MeshContents contents;
  agree_on(comm, [&] {
    const bool gmsh = options.mesh.ends_with(".msh");
    contents = gmsh ? read_gmsh_contents(options.mesh) : read_vtu_contents(options.mesh);
  });
  return heart_mesh_of(contents, options.mesh_file);
}

HeartMesh make_mesh(MPI_Comm comm, const SolveOptions& options, std::optional<std::uint64_t> nodes) {
  constexpr std::uint64_t kNodes = 20'000;
  if (options.mesh.ends_with(".vtu") || options.mesh.ends_with(".msh")) return mesh_from_file(comm, options, nodes);
  if (!options.mesh_file.says_nothing()) {
    throw Error(ErrorKind::usage, "--mesh " + options.mesh, "--electrode, --stimulate and --mesh-unit are for files",
                "leave them out, or name a .vtu or .msh");
  }
  if (options.mesh == "torso") return torso_mesh(nodes.value_or(kNodes));
  constexpr std::string_view kSlab = "slab:";
  if (options.mesh.starts_with(kSlab)) {
    double spacing = 0;
    const char* const end = options.mesh.data() + options.mesh.size();
    const auto [at, code] = std::from_chars(options.mesh.data() + kSlab.size(), end, spacing);
    if (code == std::errc() && at == end && !nodes) return slab_mesh(spacing);
    throw Error(ErrorKind::usage, "--mesh " + options.mesh,
                nodes ? "has as many nodes as its spacing gives" : "is not slab:MILLIMETRES",
                nodes ? "leave --nodes out" : "for example slab:0.2");
  }
  throw Error(ErrorKind::usage, "--mesh " + options.mesh, "is not known",
              "use torso, slab:0.2, or a file, .vtu or .msh");
}

// How many times `part` goes into `whole`; both in ms.
std::uint64_t parts_in(double whole, double part, const char* what) {
  const double parts = std::round(whole / part);
  if (parts < 1 || std::fabs(parts * part - whole) > 1e-6 * part) {
    throw Error(ErrorKind::usage, what, fmt::format("{:.6g} ms is not a multiple of {:.6g} ms", whole, part),
                "let one divide the other");
  }
  return static_cast<std::uint64_t>(parts);
}

void check_times(const SolveOptions& options) {
  constexpr double kLongestStep = 1;  // ms: a wave front has passed a node by then
  if (!(options.dt > 0) || options.dt > kLongestStep) {
    throw Error(ErrorKind::usage, "--dt", fmt::format("a step of {:.6g} ms", options.dt),
                fmt::format("give more than 0 and at most {} ms", kLongestStep));
  }
  if (!(options.print_every > 0) || !(options.duration >= 0)) {
    throw Error(ErrorKind::usage, "--print-every and --duration", "are times", "give positive ones");
  }
  if (!(options.tolerance > 0) || options.tolerance >= 1) {
    throw Error(ErrorKind::usage, "--tolerance", "lies between 0 and 1", "for example 1e-7");
  }
}

std::vector<std::int32_t> deal_nodes(MPI_Comm comm, const HeartMesh& mesh, bool scatter) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::vector<std::int32_t> rank_of = contiguous_ranks(mesh.points.size(), mesh.heart_nodes, ranks);
  if (!scatter || ranks == 1) return rank_of;
  const NodeDealing contiguous(rank_of, mesh.heart_nodes, rank, ranks);
  constexpr std::int32_t kCell = 4;  // a cell is about as much work as this many nodes' equations
  std::vector<std::int32_t> weights(static_cast<std::size_t>(contiguous.local()), 1);
  std::fill_n(weights.begin(), contiguous.heart().size(), kCell);
  const std::vector<std::int32_t> rank_of_equation =
      graph_partition(comm, whole_stiffness(mesh, contiguous, {1, 1}), weights, mesh.points.size());
  for (std::size_t n = 0; n < rank_of.size(); ++n) {
    rank_of[n] = rank_of_equation[static_cast<std::size_t>(contiguous.equation(static_cast<std::int32_t>(n)))];
  }
  return rank_of;
}

// Rows of nodes, of `per_node` values each; the local array holds the nodes in this order.
partition::Ownership rows_of(std::uint64_t nodes, std::span<const std::uint64_t> ids, const Shape& per_node = {}) {
  Shape shape{nodes};
  shape.insert(shape.end(), per_node.begin(), per_node.end());
  if (ids.empty()) return partition::Ownership::none(shape);
  if (ids.back() - ids.front() + 1 != ids.size()) return partition::Ownership::nodes(shape, ids);
  Box box = whole(shape);
  box.start[0] = ids.front();
  box.count[0] = ids.size();
  return partition::Ownership::box(shape, box);
}

class SolveSource final : public StepSource {
 public:
  SolveSource(MPI_Comm comm, const SolveOptions& options, std::optional<std::uint64_t> nodes, bool joint,
              bool with_mesh)
      : comm_(comm),
        options_(options),
        joint_(joint),
        with_mesh_(with_mesh),
        session_(comm, options.petsc),
        mesh_(make_mesh(comm, options, nodes)),
        chosen_(choose_conductivities(comm, mesh_.spacing, options)),
        dealing_(deal_nodes(comm, mesh_, options.scatter), mesh_.heart_nodes, rank_in(comm), ranks_in(comm)),
        steps_a_print_(parts_in(options.print_every, options.dt, "--print-every")),
        steps_(options.duration > 0 ? parts_in(options.duration, options.print_every, "--duration") + 1 : 1),
        bidomain_(comm, mesh_, dealing_,
                  {options.dt, options.monodomain, chosen_.conductivities, options.stimulus.value_or(mesh_.stimulus),
                   options.plates, options.tolerance}) {
    heart_.assign(dealing_.heart().begin(), dealing_.heart().end());
    all_ = heart_;
    all_.insert(all_.end(), dealing_.rest().begin(), dealing_.rest().end());
    const bool whole_heart = mesh_.heart_nodes == mesh_.points.size();
    if (joint_) {
      SourceField data{"Data", "mV", DataType::float64, {nodes_(), 2}};
      data.owned = rows_of(nodes_(), all_, {2});
      data.components = {"V", "phi_e"};
      fields_.push_back(std::move(data));
    } else {
      SourceField v{"V", "mV", DataType::float64, {mesh_.heart_nodes}};
      v.owned = rows_of(mesh_.heart_nodes, heart_);
      if (!whole_heart) v.subset = heart_;
      fields_.push_back(std::move(v));
      SourceField phi_e{"phi_e", "mV", DataType::float64, {nodes_()}};
      phi_e.owned = rows_of(nodes_(), all_);
      fields_.push_back(std::move(phi_e));
    }
    if (!mesh_.electrodes.empty()) {
      SourceField electrodes{"electrodes", "mV", DataType::float64, {mesh_.electrodes.size()}};
      electrodes.support = Support::global;
      electrodes.owned = partition::Ownership::none(electrodes.per_step);
      std::vector<std::int64_t> at;
      for (const ElectrodeNode& electrode : mesh_.electrodes) {
        electrodes.components.push_back(electrode.name);
        at.push_back(electrode.node);
      }
      electrodes.attributes["nodes"] = at;
      fields_.push_back(std::move(electrodes));
      potentials_.resize(mesh_.electrodes.size());
    }
    sums_.assign(fields_.size(), 0);
  }

  const std::vector<SourceField>& fields() const override { return fields_; }
  std::uint64_t steps() const override { return steps_; }
  std::uint64_t nodes() const override { return nodes_(); }
  double time_of(std::uint64_t step) override { return static_cast<double>(step) * options_.print_every; }

  std::span<const std::byte> values(std::size_t field, std::uint64_t step) override {
    while (reached_ < step) {
      bidomain_.advance(steps_a_print_);
      ++reached_;
    }
    const std::span<const double> held = held_values(fields_[field].name);
    sums_[field] += checksum(fields_[field], held, step);
    return std::as_bytes(held);
  }

  std::span<const double> held_values(const std::string& name) {
    if (name == "V") return bidomain_.v();
    if (name == "phi_e") return bidomain_.phi_e();
    if (name == "electrodes") return electrode_potentials();
    pairs_.assign(2 * all_.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < heart_.size(); ++i) pairs_[2 * i] = bidomain_.v()[i];
    for (std::size_t i = 0; i < all_.size(); ++i) pairs_[2 * i + 1] = bidomain_.phi_e()[i];
    return pairs_;
  }

  // Of what was given to be written, for comparing the file with: every value's bits times an odd number that says
  // where it belongs, summed modulo 2^64, so that neither ranks nor order matter.
  std::uint64_t checksum(const SourceField& field, std::span<const double> held, std::uint64_t step) const {
    const std::uint64_t elements = element_count(field.per_step);
    const auto term = [&](std::uint64_t element, double value) {
      return std::bit_cast<std::uint64_t>(value) * (2 * (step * elements + element) + 1);
    };
    std::uint64_t sum = 0;
    if (field.support == Support::global) {
      for (std::size_t i = 0; i < held.size() && rank_in(comm_) == 0; ++i) sum += term(i, held[i]);
    }
    for (const partition::Run& run : field.owned.runs()) {
      for (std::uint64_t i = 0; i < run.length; ++i) sum += term(run.global + i, held[run.local + i]);
    }
    return sum;
  }

  std::optional<MeshSpec> mesh() override {
    if (!with_mesh_) return std::nullopt;
    written_ = {};
    written_.points = nodes_();
    written_.owned = rows_of(nodes_(), all_, {3});
    for (const std::uint64_t node : all_) {
      const Vector3& p = mesh_.points[node];
      written_.coordinates.insert(written_.coordinates.end(), {p.x, p.y, p.z});
    }
    // The same cells in the same order on any number of ranks.
    const partition::Block cells = partition::even_block(mesh_.tetrahedra.size(), rank_in(comm_), ranks_in(comm_));
    written_.cell_types.assign(cells.count, cell_type::tetra);
    written_.cell_sizes.assign(cells.count, 4);
    for (std::uint64_t t = cells.first; t < cells.first + cells.count; ++t) {
      written_.connectivity.insert(written_.connectivity.end(), mesh_.tetrahedra[t].begin(), mesh_.tetrahedra[t].end());
    }
    return written_.spec();
  }
  void forget_mesh() override { written_ = {}; }

  nlohmann::json report() override {
    const auto equations = [](const Convergence& one) {
      const double mean = one.solves > 0 ? static_cast<double>(one.iterations) / static_cast<double>(one.solves) : 0.0;
      return nlohmann::json{{"solves", one.solves},
                            {"iterations", one.iterations},
                            {"mean_iterations", mean},
                            {"most_iterations", one.most_iterations}};
    };
    const Bidomain::Currents currents = bidomain_.currents();
    std::vector<std::uint64_t> sums(sums_.size());
    check_mpi(MPI_Allreduce(sums_.data(), sums.data(), static_cast<int>(sums.size()), MPI_UINT64_T, MPI_SUM, comm_),
              "MPI_Allreduce");
    nlohmann::json checksums;
    for (std::size_t f = 0; f < fields_.size(); ++f) checksums[fields_[f].name] = fmt::format("{:016x}", sums[f]);
    return {{"model", options_.monodomain ? "monodomain" : "bidomain with bath"},
            {"mesh", mesh_.description},
            {"heart_nodes", mesh_.heart_nodes},
            {"tetrahedra", mesh_.tetrahedra.size()},
            {"spacing_mm", mesh_.spacing},
            {"dt_ms", options_.dt},
            {"print_every_ms", options_.print_every},
            {"duration_ms", options_.duration},
            {"scatter", options_.scatter},
            {"conductivities", chosen_.report},
            {"ksp", {{"v", equations(bidomain_.v_convergence())}, {"phi_e", equations(bidomain_.phi_e_convergence())}}},
            {"checksums", checksums},
            {"current_lost_uA", currents.sum},
            {"current_flowing_uA", currents.absolute}};
  }

  std::vector<StateField> state() const override {
    Bidomain::State state = bidomain_.state();
    std::vector<StateField> fields(4);
    fields[0] = {"V", {mesh_.heart_nodes}, rows_of(mesh_.heart_nodes, heart_), std::move(state.v)};
    fields[1] = {"phi_e", {nodes_()}, rows_of(nodes_(), all_), std::move(state.phi_e)};
    fields[2] = {"cells",
                 {mesh_.heart_nodes, Bidomain::kCellValues},
                 rows_of(mesh_.heart_nodes, heart_, {Bidomain::kCellValues}),
                 std::move(state.cells)};
    // Rank 0's alone: what a restarted run must have in common with the one it goes on with.
    std::vector<double> settings = settings_that_count();
    const Shape shape{settings.size()};
    const bool first = rank_in(comm_) == 0;
    if (!first) settings.clear();
    fields[3] = {"settings", shape, first ? partition::Ownership::all(shape) : partition::Ownership::none(shape),
                 std::move(settings)};
    return fields;
  }

  void restore(std::uint64_t step, const std::vector<StateField>& fields) override {
    const std::vector<double>& settings = fields.at(3).values;
    if (!settings.empty() && settings != settings_that_count()) {
      throw Error(
          ErrorKind::usage, "--restart",
          "the checkpoint is of a run with another --dt, --print-every, --model, mesh, stimulus or conductivities",
          "give the options of that run, or start again without --restart");
    }
    bidomain_.restore({time_of(step), fields.at(0).values, fields.at(1).values, fields.at(2).values});
    reached_ = step;
  }

 private:
  static int rank_in(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
  }
  static int ranks_in(MPI_Comm comm) {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    return ranks;
  }
  std::vector<double> settings_that_count() const {
    const Conductivities& sigma = chosen_.conductivities;
    const PlateStimulus plates = options_.plates.value_or(PlateStimulus{});
    return {options_.dt,
            options_.print_every,
            options_.monodomain ? 1.0 : 0.0,
            static_cast<double>(mesh_.points.size()),
            static_cast<double>(mesh_.heart_nodes),
            static_cast<double>(mesh_.tetrahedra.size()),
            options_.stimulus.value_or(mesh_.stimulus),
            sigma.intracellular.along,
            sigma.intracellular.across,
            sigma.extracellular.along,
            sigma.extracellular.across,
            plates.current,
            plates.start,
            plates.duration};
  }
  std::uint64_t nodes_() const { return mesh_.points.size(); }

  // Every electrode's potential comes from the rank that has its node.
  std::span<const double> electrode_potentials() {
    std::fill(potentials_.begin(), potentials_.end(), 0.0);
    for (std::size_t e = 0; e < potentials_.size(); ++e) {
      const std::int32_t at = dealing_.local_of(mesh_.electrodes[e].node);
      if (at >= 0) potentials_[e] = bidomain_.phi_e()[static_cast<std::size_t>(at)];
    }
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, potentials_.data(), static_cast<int>(potentials_.size()), MPI_DOUBLE, MPI_SUM,
                            comm_),
              "MPI_Allreduce");
    return potentials_;
  }

  MPI_Comm comm_;
  SolveOptions options_;
  bool joint_;
  bool with_mesh_;
  MeshPart written_;  // while the file is made
  PetscSession session_;
  HeartMesh mesh_;
  ChosenConductivities chosen_;
  NodeDealing dealing_;
  std::uint64_t steps_a_print_;
  std::uint64_t steps_;
  Bidomain bidomain_;
  std::vector<std::uint64_t> heart_;  // this rank's nodes
  std::vector<std::uint64_t> all_;    // and with those outside the heart
  std::vector<SourceField> fields_;
  std::vector<double> pairs_;
  std::vector<double> potentials_;
  std::vector<std::uint64_t> sums_;  // of each field's values
  std::uint64_t reached_ = 0;        // the step whose values are at hand
};

}  // namespace

std::unique_ptr<StepSource> solve_source(MPI_Comm comm, const SolveOptions& options, std::optional<std::uint64_t> nodes,
                                         bool joint, bool mesh) {
  try {
    check_times(options);
    return std::make_unique<SolveSource>(comm, options, nodes, joint, mesh);
  } catch (const Error& error) {
    // Every rank does the same with the same numbers until the first step.
    throw error.agreed();
  }
}

}  // namespace weft::kernels::ecg
