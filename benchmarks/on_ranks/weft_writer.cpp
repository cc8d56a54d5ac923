#include "benchmarks/on_ranks/writer.hpp"
#include "weft/mpi.hpp"

namespace on_ranks {

namespace {

class WeftWriter final : public Writer {
 public:
  explicit WeftWriter(const Series& series) : writer_(weft::create_series(MPI_COMM_WORLD, series.path, spec(series))) {}
  void put(std::uint64_t step, const std::vector<double>& values) override {
    writer_.put("Data", values);
    writer_.end_step(static_cast<double>(step));
  }
  void close() override { writer_.close(); }

 private:
  static weft::SeriesSpec spec(const Series& series) {
    weft::SeriesSpec spec;
    spec.steps = series.steps;
    spec.options.sync = weft::Sync::none;  // no peer brings its data to the disk
    spec.fields.push_back(
        {.name = "Data",
         .per_step = {series.nodes, 2},
         .owned = weft::partition::Ownership::box({series.nodes, 2}, {{series.first, 0}, {series.count, 2}})});
    return spec;
  }
  weft::SeriesWriter writer_;
};

}  // namespace

std::unique_ptr<Writer> weft_writer(const Series& series) { return std::make_unique<WeftWriter>(series); }

}  // namespace on_ranks
