// A running reduction of a field on a grid, against the same arithmetic over all steps.
#include "weft/reduce/run_reduction.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "weft/series/series_writer.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/survey/open_file.hpp"
#include "weft/survey/survey.hpp"

namespace weft::reduce {
namespace {

using storage::Handle;

const Shape kGrid{3, 4, 5};
constexpr std::uint64_t kSteps = 37;

double value(std::uint64_t step, std::uint64_t node, std::uint64_t component) {
  return std::sin(static_cast<double>(7 * step + 3 * node + component));
}

// Looks at many nodes at once.
class Sum final : public RunningQuantity {
 public:
  std::string name() const override { return "sum"; }
  std::string units(const std::string& value_units, const std::string&) const override { return value_units; }
  std::size_t state_size() const override { return 1; }
  void begin(std::span<double> state) const override { state[0] = 0; }
  void see(std::span<double>, const Samples&) const override { ADD_FAILURE() << "nothing is reduced from the file"; }
  bool sees_many() const override { return true; }
  void see_nodes(std::span<double> states, const SamplesOfNodes& samples) const override {
    for (std::size_t s = samples.first_new; s < samples.t.size(); ++s) {
      for (std::size_t node = 0; node < samples.nodes; ++node) states[node] += samples.v[s * samples.pitch + node];
    }
  }
  double result(std::span<const double> state) const override { return state[0]; }
};

class RunReductionTest : public testing::TestWithParam<std::uint64_t> {
 protected:
  std::string path_ = (std::filesystem::temp_directory_path() / fmt::format("weft-grid-{}.h5", getpid())).string();
  void TearDown() override { std::filesystem::remove(path_); }

  std::vector<double> map(const std::string& name) const {
    const Handle file = survey::open_file(path_);
    const std::string group = GetParam() > 1 ? "/maps/V_1/" : "/maps/V/";
    const Handle dataset(H5Dopen2(file, (group + name).c_str(), H5P_DEFAULT));
    EXPECT_EQ(survey::facts_of(dataset, name).shape, kGrid);
    std::vector<double> values(element_count(kGrid));
    EXPECT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    return values;
  }
};

TEST_P(RunReductionTest, MapsOfAGridHaveItsShape) {
  const std::uint64_t components = GetParam();
  SeriesSpec spec;
  spec.steps = kSteps;
  spec.grid.shape = kGrid;
  FieldSpec field{.name = "V", .per_step = kGrid};
  if (components > 1) field.per_step.push_back(components);
  field.owned = partition::Ownership::all(field.per_step);
  spec.fields = {field};
  RunReductionSpec reduction;
  reduction.field = components > 1 ? "V:1" : "V";
  reduction.quantities = parse_quantities("max,mean,argmax_time");
  spec.observers = {std::make_shared<RunReduction>(reduction)};
  SeriesWriter writer = SeriesWriter::create(std::make_shared<SelfCommunicator>(), path_, spec);
  std::vector<double> values(element_count(field.per_step));
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    for (std::uint64_t i = 0; i < values.size(); ++i) values[i] = value(step, i / components, i % components);
    writer.put("V", values);
    writer.end_step(0.5 * static_cast<double>(step));
  }
  writer.close();

  const std::vector<double> greatest = map("max");
  const std::vector<double> mean = map("mean");
  const std::vector<double> when = map("argmax_time");
  for (std::uint64_t node = 0; node < element_count(kGrid); ++node) {
    std::vector<double> trace;
    for (std::uint64_t step = 0; step < kSteps; ++step) trace.push_back(value(step, node, components - 1));
    const auto peak = std::max_element(trace.begin(), trace.end());
    EXPECT_EQ(greatest[node], *peak);
    EXPECT_EQ(when[node], 0.5 * static_cast<double>(peak - trace.begin()));
    double sum = 0;
    for (const double sample : trace) sum += sample;
    EXPECT_NEAR(mean[node], sum / kSteps, 1e-14);
  }
}

TEST(RunReduction, AQuantityLooksAtManyNodesAtOnceWindowAfterWindow) {
  constexpr std::uint64_t kNodes = 150;  // two blocks and a part
  const std::string path = (std::filesystem::temp_directory_path() / fmt::format("weft-many-{}.h5", getpid())).string();
  SeriesSpec spec;
  spec.fields = {FieldSpec{.name = "V", .per_step = {kNodes}, .owned = partition::Ownership::all({kNodes})}};
  spec.options.commit_steps = 5;
  spec.observers = {std::make_shared<RunReduction>(
      RunReductionSpec{.field = "V", .quantities = parse_quantities("max"), .own = {std::make_shared<Sum>()}})};
  SeriesWriter writer = SeriesWriter::create(std::make_shared<SelfCommunicator>(), path, spec);
  std::vector<double> expected(kNodes);
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    std::vector<double> values(kNodes);
    for (std::uint64_t node = 0; node < kNodes; ++node) expected[node] += values[node] = value(step, node, 0);
    writer.put("V", values);
    writer.end_step(static_cast<double>(step));
  }
  writer.close();
  {
    const Handle file = survey::open_file(path);
    const Handle dataset(H5Dopen2(file, "/maps/V/sum", H5P_DEFAULT));
    std::vector<double> total(kNodes);
    EXPECT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, total.data()), 0);
    EXPECT_EQ(total, expected);
  }
  std::filesystem::remove(path);
}

TEST(RunReduction, AQuantityHasOneName) {
  RunReductionSpec reduction{.field = "V", .own = {std::make_shared<Sum>(), std::make_shared<Sum>()}};
  EXPECT_THROW(RunReduction{reduction}, Error);
}

INSTANTIATE_TEST_SUITE_P(Components, RunReductionTest, testing::Values(1, 2));

}  // namespace
}  // namespace weft::reduce
