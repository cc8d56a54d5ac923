// kernels/ecg/step_source.hpp - where the kernel's step values come from.
//
// A source knows the shape of one step, deals its nodes to the ranks and fills a rank's values of a step on demand. Two
// of them: synthetic (a formula) and replay (the recorded steps of an HDF5 file). Sources never touch Weft's own
// reading or writing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/partition/ownership.hpp"
#include "weft/support/communicator.hpp"
#include "weft/support/data_type.hpp"

namespace weft::kernels {

// How nodes are dealt to ranks.
enum class Dealing {
  blocks,   // contiguous, as even as possible
  uneven,   // contiguous, rank r's share grows with r, and every third rank (0 too) has nothing
  scatter,  // node n on rank (n * 2654435761 mod 2^32) mod ranks, in falling order
};
Dealing parse_dealing(const std::string& text);

// The nodes of one rank, in the order of its local array.
std::vector<std::uint64_t> dealt_nodes(Dealing dealing, std::uint64_t nodes, int rank, int ranks);

struct SourceField {
  std::string name;
  std::string units;
  DataType type = DataType::float64;
  Shape per_step;
  partition::Ownership owned = partition::Ownership::none({});
  std::vector<std::string> components{};  // names of a node's values, where they have any
};

class StepSource {
 public:
  virtual ~StepSource() = default;
  virtual const std::vector<SourceField>& fields() const = 0;
  virtual std::uint64_t steps() const = 0;
  virtual std::uint64_t nodes() const = 0;
  virtual double time_of(std::uint64_t step) = 0;
  // This rank's values of one field at one step; valid until the next call.
  virtual std::span<const std::byte> values(std::size_t field, std::uint64_t step) = 0;
};

// The formula of docs/format.md, "The synthetic source": one field Data (nodes, 2) where `joint`, else V and phi_e.
std::unique_ptr<StepSource> synthetic_source(Communicator& comm, std::uint64_t nodes, std::uint64_t steps, bool joint,
                                             Dealing dealing);

// `from` is FILE or FILE:DATASET; without one, /Data or else the largest dataset with steps and nodes. Axis 0 is the
// step, axis 1 the node. `nodes` and `steps`, where given, take only so many from the start. Collective: rank 0 looks,
// errors are agreed.
std::unique_ptr<StepSource> replay_source(Communicator& comm, const std::string& from,
                                          std::optional<std::uint64_t> nodes, std::optional<std::uint64_t> steps,
                                          Dealing dealing);

}  // namespace weft::kernels
