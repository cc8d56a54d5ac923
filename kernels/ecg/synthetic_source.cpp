// A travelling wave of action potentials, in closed form of (step, node). Only +, -, * and / of doubles are used, in
// the order written, so that any IEEE machine, NumPy too, gets the same bits: docs/format.md, "The synthetic source".
//
//   x = n * (1 / N)                 where along the heart the node lies
//   u = s - 100 x                   steps since the wave came by; it crosses the heart in 100 steps
//   p = max(u, 0),  q = (p / 64)^2  computed as (p * 0.015625) squared
//   V = ((120 p) / ((p + 0.5) (1 + q q)) - 85) + 0.001 s + 0.002 x       mV: rest -85, upstroke, plateau, return
//   phi_e = V (-0.05 - 0.1 x)                                            mV
#include <algorithm>

#include "kernels/ecg/box_mesh.hpp"
#include "kernels/ecg/step_source.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::ecg {

namespace {

struct Values {
  double v;
  double phi_e;
};

inline Values wave(double s, double n, double inverse_nodes) {
  const double x = n * inverse_nodes;
  const double u = s - 100.0 * x;
  const double p = u > 0.0 ? u : 0.0;
  const double r = p * 0.015625;
  const double q = r * r;
  const double v = ((120.0 * p) / ((p + 0.5) * (1.0 + q * q)) - 85.0) + 0.001 * s + 0.002 * x;
  return {v, v * (-0.05 - 0.1 * x)};
}

class SyntheticSource final : public StepSource {
 public:
  SyntheticSource(Communicator& comm, std::uint64_t nodes, std::uint64_t steps, bool joint, bool mesh, Dealing dealing)
      : nodes_(nodes), steps_(steps), with_mesh_(mesh), rank_(comm.rank()), ranks_(comm.size()) {
    const bool blocks = dealing == Dealing::blocks;
    block_ = partition::even_block(nodes, comm.rank(), comm.size());
    if (!blocks) mine_ = dealt_nodes(dealing, nodes, comm.rank(), comm.size());
    contiguous_ = blocks;
    const std::uint64_t count = contiguous_ ? block_.count : mine_.size();
    for (SourceField& field : synthetic_fields(nodes, joint)) {
      field.owned = contiguous_ ? partition::even_nodes(field.per_step, comm.rank(), comm.size())
                                : partition::Ownership::nodes(field.per_step, mine_);
      fields_.push_back(std::move(field));
    }
    values_.resize(count * (joint ? 2 : 1));
  }

  const std::vector<SourceField>& fields() const override { return fields_; }
  std::uint64_t steps() const override { return steps_; }
  std::uint64_t nodes() const override { return nodes_; }
  double time_of(std::uint64_t step) override { return static_cast<double>(step); }
  std::optional<MeshSpec> mesh() override {
    if (!with_mesh_) return std::nullopt;
    mesh_ = part_of(box_mesh(nodes_), rank_, ranks_);
    return mesh_.spec();
  }
  void forget_mesh() override { mesh_ = {}; }

  std::span<const std::byte> values(std::size_t field, std::uint64_t step) override {
    const auto s = static_cast<double>(step);
    const double inverse_nodes = 1.0 / static_cast<double>(nodes_);
    if (contiguous_) {
      // Node numbers are counted up in doubles, exact to 2^53, so that the loop is a few vector instructions a node.
      const auto first = static_cast<double>(block_.first);
      fill(field, static_cast<std::int32_t>(block_.count),
           [=](std::int32_t i) { return wave(s, first + static_cast<double>(i), inverse_nodes); });
    } else {
      const std::uint64_t* mine = mine_.data();
      fill(field, static_cast<std::int32_t>(mine_.size()),
           [=](std::int32_t i) { return wave(s, static_cast<double>(mine[i]), inverse_nodes); });
    }
    return std::as_bytes(std::span(values_));
  }

 private:
  template <typename At>
  void fill(std::size_t field, std::int32_t count, At at) {
    double* out = values_.data();
    if (fields_.size() == 1) {
      for (std::int32_t i = 0; i < count; ++i) {
        const Values value = at(i);
        *out++ = value.v;
        *out++ = value.phi_e;
      }
    } else if (field == 0) {
      for (std::int32_t i = 0; i < count; ++i) out[i] = at(i).v;
    } else {
      for (std::int32_t i = 0; i < count; ++i) out[i] = at(i).phi_e;
    }
  }

  std::uint64_t nodes_;
  std::uint64_t steps_;
  bool with_mesh_;
  int rank_;
  int ranks_;
  MeshPart mesh_;
  partition::Block block_{};
  std::vector<std::uint64_t> mine_;  // where nodes are not contiguous
  bool contiguous_ = true;
  std::vector<SourceField> fields_;
  std::vector<double> values_;
};

}  // namespace

std::vector<SourceField> synthetic_fields(std::uint64_t nodes, bool joint) {
  const auto field = [](const char* name, const Shape& per_step) {
    return SourceField{name, "mV", DataType::float64, per_step, partition::Ownership::none({})};
  };
  if (!joint) return {field("V", {nodes}), field("phi_e", {nodes})};
  std::vector<SourceField> fields{field("Data", {nodes, 2})};
  fields[0].components = {"V", "phi_e"};
  return fields;
}

std::unique_ptr<StepSource> synthetic_source(Communicator& comm, std::uint64_t nodes, std::uint64_t steps, bool joint,
                                             bool mesh, Dealing dealing) {
  if (nodes == 0) throw Error(ErrorKind::usage, "--nodes 0", "a heart without nodes", "give at least 1").agreed();
  if (steps == 0) throw Error(ErrorKind::usage, "--steps 0", "a run without steps", "give at least 1").agreed();
  constexpr std::uint64_t kMostNodesPerRank = 0x7fffffff;
  if (nodes / static_cast<std::uint64_t>(comm.size()) >= kMostNodesPerRank) {
    throw Error(ErrorKind::usage, "--nodes", "more than 2^31 - 1 nodes a rank", "use more ranks").agreed();
  }
  std::unique_ptr<StepSource> source;
  agree_on(comm, [&] { source = std::make_unique<SyntheticSource>(comm, nodes, steps, joint, mesh, dealing); });
  return source;
}

}  // namespace weft::kernels::ecg
