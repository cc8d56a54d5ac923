// weft/support/mpi_communicator.hpp - a group of MPI ranks (target weft::mpi).
//
// Owns a duplicate of the communicator it is given, so that its messages never meet the application's. Only the thread
// that made it calls it: MPI_THREAD_FUNNELED is enough, whatever Weft's I/O thread does meanwhile.
#pragma once

#include <mpi.h>

#include "weft/support/communicator.hpp"

#pragma GCC visibility push(default)

namespace weft {

class MpiCommunicator final : public Communicator {
 public:
  // Collective over `comm`. No MPI call is given a count above `count_limit`; longer messages are split.
  explicit MpiCommunicator(MPI_Comm comm, std::uint64_t count_limit = 0x7fffffff);
  ~MpiCommunicator() override;
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  MPI_Comm handle() const { return comm_; }
  std::uint64_t count_limit() const { return count_limit_; }

  std::uint64_t min(std::uint64_t value) override;
  std::uint64_t max(std::uint64_t value) override;
  std::uint64_t sum(std::uint64_t value) override;
  std::uint64_t sum_before(std::uint64_t value) override;
  void broadcast(std::vector<std::byte>& bytes, int root) override;
  std::vector<std::vector<std::byte>> all_to_all(const std::vector<std::vector<std::byte>>& outgoing) override;
  // As MPI_Comm_split_type(MPI_COMM_TYPE_SHARED) has it; WEFT_RANKS_PER_NODE=4 in the environment says otherwise, to
  // try on one machine what is for many.
  std::vector<std::uint64_t> nodes() override;
  void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) override;

 private:
  std::uint64_t extreme(std::uint64_t value, MPI_Op op);

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::uint64_t count_limit_;
  int rank_ = 0;
  int size_ = 1;
};

// Throws Error(system) with MPI's own words where an MPI call failed.
void check_mpi(int code, std::string_view call);

}  // namespace weft

#pragma GCC visibility pop
