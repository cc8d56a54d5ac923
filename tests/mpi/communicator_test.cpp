// What Weft asks of a group of ranks, on real ones.
#include <gtest/gtest.h>

#include "weft/support/mpi_communicator.hpp"

namespace weft {
namespace {

TEST(MpiCommunicatorTest, LeastAndGreatestKnowAll64Bits) {
  MpiCommunicator comm(MPI_COMM_WORLD);
  const auto rank = static_cast<std::uint64_t>(comm.rank());
  const auto last = static_cast<std::uint64_t>(comm.size()) - 1;
  const std::uint64_t top = 1ULL << 63;
  // Rank 0 has the greatest of all numbers, the others small ones; and the other way round.
  EXPECT_EQ(comm.max(rank == 0 ? ~0ULL : rank), ~0ULL);
  EXPECT_EQ(comm.min(rank == 0 ? ~0ULL : rank), last == 0 ? ~0ULL : 1ULL);
  EXPECT_EQ(comm.min(rank == last ? 5 : top + rank), 5U);
  EXPECT_EQ(comm.max(rank == last ? 5 : top + rank), last == 0 ? 5U : top + last - 1);
  EXPECT_EQ(comm.min(top - 1 + (rank % 2)), top - 1);
}

TEST(MpiCommunicatorTest, SumsWrapAsUnsignedNumbersDo) {
  MpiCommunicator comm(MPI_COMM_WORLD);
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  EXPECT_EQ(comm.sum(1ULL << 40), ranks << 40);
  EXPECT_EQ(comm.sum_before(3), 3 * static_cast<std::uint64_t>(comm.rank()));
}

}  // namespace
}  // namespace weft
