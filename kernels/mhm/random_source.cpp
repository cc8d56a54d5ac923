#include "kernels/io/values.hpp"
#include "kernels/mhm/problem_source.hpp"
#include "kernels/mhm/threads.hpp"

namespace weft::kernels::mhm {

namespace {

class RandomSource final : public ProblemSource {
 public:
  RandomSource(MpiCommunicator& comm, const MhmOptions& options, std::uint64_t seed, const partition::Block& problems)
      : comm_(comm), options_(options), seed_(seed), problems_(problems) {}

  void fill(std::uint64_t phase, std::span<double> values) override {
    const MhmShape& shape = options_.shape;
    agree_on(comm_, [&] {
      on_threads(options_.threads, problems_.count, [&](std::uint64_t problem, std::uint64_t) {
        double* value = values.data() + problem * shape.values();
        const std::uint64_t first = (problems_.first + problem) * shape.points();
        for (std::uint64_t point = 0; point < shape.points(); ++point) {
          for (std::uint64_t dim = 0; dim < shape.dims; ++dim) {
            *value++ = random_double(seed_, phase * shape.dims + dim, first + point);
          }
        }
      });
    });
  }

 private:
  MpiCommunicator& comm_;
  MhmOptions options_;
  std::uint64_t seed_;
  partition::Block problems_;
};

}  // namespace

std::unique_ptr<ProblemSource> random_source(MpiCommunicator& comm, const MhmOptions& options, std::uint64_t seed,
                                             const partition::Block& problems) {
  return std::make_unique<RandomSource>(comm, options, seed, problems);
}

}  // namespace weft::kernels::mhm
