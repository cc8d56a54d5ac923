// weft/support/communicator.hpp - the few things Weft asks of a group of ranks.
//
// Everything that moves data between ranks goes through this interface, so that the writer needs no MPI to be built or
// tested: SelfCommunicator is a group of one, MpiCommunicator (support/mpi_communicator.hpp) is the real one.
// Every call here is collective over the group unless it says otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/support/error.hpp"

#pragma GCC visibility push(default)

namespace weft {

// One message of an exchange between neighbours; `peer` is the other rank. The memory belongs to the caller.
struct Outgoing {
  int peer;
  std::span<const std::byte> bytes;
};
struct Incoming {
  int peer;
  std::span<std::byte> bytes;
};

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;  // not collective
  virtual int size() const = 0;  // not collective

  virtual std::uint64_t min(std::uint64_t value) = 0;
  virtual std::uint64_t max(std::uint64_t value) = 0;
  virtual std::uint64_t sum(std::uint64_t value) = 0;
  // The sum over the ranks before this one.
  virtual std::uint64_t sum_before(std::uint64_t value) = 0;

  // Every rank's `bytes` becomes the root's; the lengths need not agree beforehand.
  virtual void broadcast(std::vector<std::byte>& bytes, int root) = 0;

  // For setting up: outgoing[r] goes to rank r; the result's [r] came from rank r. Costs a word per rank of the group.
  virtual std::vector<std::vector<std::byte>> all_to_all(const std::vector<std::vector<std::byte>>& outgoing) = 0;

  // Which ranks share a machine: a number for each rank, the same for those that do. Costs a word per rank. Collective.
  virtual std::vector<std::uint64_t> nodes() { return std::vector<std::uint64_t>(static_cast<std::size_t>(size())); }

  // For every window: only the named neighbours talk. Both sides know the length of what goes from one to the other.
  // Several pieces for one neighbour keep their order, both sides cut alike, and short ones may travel together.
  // Collective among neighbours only: a rank with no messages returns at once.
  virtual void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) = 0;
};

class SelfCommunicator final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::uint64_t min(std::uint64_t value) override { return value; }
  std::uint64_t max(std::uint64_t value) override { return value; }
  std::uint64_t sum(std::uint64_t value) override { return value; }
  std::uint64_t sum_before(std::uint64_t) override { return 0; }
  void broadcast(std::vector<std::byte>&, int) override {}
  std::vector<std::vector<std::byte>> all_to_all(const std::vector<std::vector<std::byte>>& outgoing) override {
    return outgoing;
  }
  void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) override;
};

// Ranks agree on failure: where any rank brings an error, all throw the one of the lowest such rank, so that no rank is
// left waiting in a later collective call. The error's line names the rank when the group has more than one.
void agree(Communicator& comm, const std::optional<Error>& mine);

// Runs `action` on every rank, then agrees. What an action throws that is not an Error is carried as one.
void agree_on(Communicator& comm, const std::function<void()>& action);

// Every rank's bytes, of the same length everywhere, in the order of ranks, on all of them. For setting up. Collective.
std::vector<std::byte> gather_from_all(Communicator& comm, std::span<const std::byte> mine);

}  // namespace weft

#pragma GCC visibility pop
