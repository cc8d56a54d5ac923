// A checkpoint of much state: every rank writes a part of it, and other ranks read it.
#include "kernels/ecg/checkpoint.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "weft/reading/series_reader.hpp"
#include "weft/support/mpi_communicator.hpp"

namespace weft::kernels::ecg {
namespace {

// Ten numbers of each of some nodes in one field, two fields of one number, and a few numbers that rank 0 has.
class Source final : public StepSource {
 public:
  Source(std::uint64_t nodes, Dealing dealing, int rank, int ranks) : nodes_(nodes) {
    const std::vector<std::uint64_t> mine = dealt_nodes(dealing, nodes, rank, ranks);
    for (const auto& [name, columns] : {std::pair{"gates", 10}, {"V", 1}, {"phi_e", 1}}) {
      const auto width = static_cast<std::uint64_t>(columns);
      StateField field{name, {nodes, width}, partition::Ownership::nodes({nodes, width}, mine), {}};
      for (const std::uint64_t node : mine) {
        for (std::uint64_t column = 0; column < width; ++column) field.values.push_back(value(node, column));
      }
      state_.push_back(std::move(field));
    }
  }

  static double value(std::uint64_t node, std::uint64_t column) {
    return static_cast<double>(node) * 16 + static_cast<double>(column) + 0.25;
  }

  const std::vector<SourceField>& fields() const override { return fields_; }
  std::uint64_t steps() const override { return 1; }
  std::uint64_t nodes() const override { return nodes_; }
  double time_of(std::uint64_t) override { return 0; }
  std::span<const std::byte> values(std::size_t, std::uint64_t) override { return {}; }
  std::vector<StateField> state() const override { return state_; }
  void restore(std::uint64_t step, const std::vector<StateField>& fields) override {
    restored_step = step;
    for (std::size_t f = 0; f < fields.size(); ++f) EXPECT_EQ(fields[f].values, state_[f].values) << fields[f].name;
  }

  std::uint64_t restored_step = 0;

 private:
  std::uint64_t nodes_;
  std::vector<SourceField> fields_;
  std::vector<StateField> state_;
};

class CheckpointTest : public testing::TestWithParam<Dealing> {
 protected:
  MpiCommunicator comm_{MPI_COMM_WORLD};
  std::string path_ =
      (std::filesystem::temp_directory_path() /
       ("weft-checkpoint-" + std::to_string(comm_.size()) + "-" + std::to_string(static_cast<int>(GetParam())) + ".h5"))
          .string();

  void TearDown() override {
    comm_.max(0);
    if (comm_.rank() == 0) std::filesystem::remove(path_);
  }
};

// Twelve numbers of a million nodes are 96 MB. Where rank 0 alone kept them they did not fit its windows.
TEST_P(CheckpointTest, OfAMillionNodes) {
  constexpr std::uint64_t kNodes = 1'000'003;
  Source source(kNodes, GetParam(), comm_.rank(), comm_.size());
  save_checkpoint(MPI_COMM_WORLD, path_, 17, source, Sync::none);
  // Dealt to the ranks in another way.
  Source other(kNodes, GetParam() == Dealing::blocks ? Dealing::scatter : Dealing::blocks, comm_.rank(), comm_.size());
  EXPECT_EQ(load_checkpoint(MPI_COMM_WORLD, path_, other), 17U);
  EXPECT_EQ(other.restored_step, 17U);
}

TEST_P(CheckpointTest, EveryRankKeepsAPart) {
  Source source(200'003, GetParam(), comm_.rank(), comm_.size());
  save_checkpoint(MPI_COMM_WORLD, path_, 3, source, Sync::none);
  const SeriesReader reader = SeriesReader::open(comm_, path_);
  const auto& chunk = reader.catalog().segments[0].fields[1].chunk;
  EXPECT_LE(element_count(chunk) * sizeof(double), 1U << 20) << "in one chunk all of it is one rank's";
}

INSTANTIATE_TEST_SUITE_P(Dealings, CheckpointTest, testing::Values(Dealing::blocks, Dealing::scatter),
                         [](const auto& one) { return one.param == Dealing::blocks ? "blocks" : "scatter"; });

}  // namespace
}  // namespace weft::kernels::ecg
