#include "kernels/awp/awp_kernel.hpp"

#include <fmt/format.h>

#include <vector>

#include "kernels/awp/awp_types.hpp"
#include "kernels/io/series_output.hpp"
#include "kernels/io/values.hpp"
#include "kernels/io/whole_file.hpp"

namespace weft::kernels::awp {

namespace {

// One rank's part.
class AwpRank {
 public:
  AwpRank(MpiCommunicator& comm, const RunOptions& run, const AwpOptions& options, const ProcessGrid& grid)
      : comm_(comm),
        run_(run),
        options_(options),
        points_(grid.points()),
        part_(grid.part_of(static_cast<std::uint64_t>(comm.rank()))),
        part_points_(volume(part_.count)) {}

  void make_room() { values_.assign(options_.variables, std::vector<float>(options_.steps_per_file * part_points_)); }

  void output(std::uint64_t set, Done& done) {
    set_aside(comm_, done, [&] { compute(set); });
    if (options_.strategy == AwpStrategy::series) {
      write_series(set, done);
    } else {
      write_files(set, done);
    }
    done.bytes += options_.variables * options_.steps_per_file * part_points_ * sizeof(float);
  }

 private:
  // A value's number is its place among all steps of its variable.
  void compute(std::uint64_t set) {
    const auto& [start, count] = part_;
    for (std::uint64_t variable = 0; variable < options_.variables; ++variable) {
      float* value = values_[variable].data();
      for (std::uint64_t step = 0; step < options_.steps_per_file; ++step) {
        const std::uint64_t first = (set * options_.steps_per_file + step) * volume(points_);
        for (std::uint64_t z = start[2]; z < start[2] + count[2]; ++z) {
          for (std::uint64_t y = start[1]; y < start[1] + count[1]; ++y) {
            const std::uint64_t row = first + (z * points_[1] + y) * points_[0] + start[0];
            for (std::uint64_t i = 0; i < count[0]; ++i) *value++ = random_float(run_.seed, variable, row + i);
          }
        }
      }
    }
  }

  // Each file is one collective write of all ranks. A disk may be full on one of them only, so they agree after each.
  void write_files(std::uint64_t set, Done& done) {
    std::optional<MpiType> in_file;
    std::optional<MpiType> step;  // of the rank's values: no count passes that of the steps
    agree_on(comm_, [&] {
      timed(done.times.build, [&] {
        in_file.emplace(awp_file_type(options_.strategy, points_, part_, options_.steps_per_file));
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(static_cast<int>(part_points_), MPI_FLOAT, &type);
        step.emplace(type);
      });
    });
    for (std::uint64_t variable = 0; variable < options_.variables; ++variable) {
      const std::string path = awp_file(run_.out, variable, set);
      Calls calls;
      std::optional<MpiFile> file;
      agree_on(comm_, [&] {
        file.emplace(comm_.handle(), path, MPI_MODE_WRONLY | MPI_MODE_CREATE, run_.hints,
                     MpiAccount{calls, done.times});
      });
      agree_on(comm_, [&] { file->set_view(0, MPI_FLOAT, in_file->get(), run_.hints); });
      agree_on(comm_, [&] {
        file->write_all(values_[variable].data(), static_cast<int>(options_.steps_per_file), step->get());
      });
      agree_on(comm_, [&] { file->close(); });
      set_aside(comm_, done, [&] {
        if (comm_.rank() == 0) check_whole(path, options_.steps_per_file * volume(points_) * sizeof(float));
      });
      done.app += calls;
      done.mpi += calls;
    }
  }

  void write_series(std::uint64_t set, Done& done) {
    // Slowest axis first.
    const auto& [start, count] = part_;
    const Shape per_step{points_[2], points_[1], points_[0]};
    const Box box{{start[2], start[1], start[0]}, {count[2], count[1], count[0]}};
    SeriesSpec spec;
    spec.steps = options_.steps_per_file;
    spec.grid.shape = per_step;
    for (std::uint64_t variable = 0; variable < options_.variables; ++variable) {
      FieldSpec field;
      field.name = name_of_variable(variable);
      field.type = DataType::float32;
      field.per_step = per_step;
      field.owned = partition::Ownership::box(per_step, box);
      spec.fields.push_back(std::move(field));
    }
    SeriesOutput series(comm_, awp_series_file(run_.out, set), std::move(spec), run_,
                        FileAccount{done.app, done.system, done.times});
    for (std::uint64_t step = 0; step < options_.steps_per_file; ++step) {
      for (std::uint64_t variable = 0; variable < options_.variables; ++variable) {
        const float* values = values_[variable].data() + step * part_points_;
        series.put(name_of_variable(variable), std::span(values, part_points_));
      }
      series.end_step(static_cast<double>(set * options_.steps_per_file + step));
    }
    series.close();
  }

  static std::string name_of_variable(std::uint64_t variable) { return fmt::format("v{}", variable); }

  MpiCommunicator& comm_;
  const RunOptions& run_;
  const AwpOptions& options_;
  Extent points_;
  GridPart part_;
  std::uint64_t part_points_;
  std::vector<std::vector<float>> values_;  // of each variable: [step][z][y][x]
};

}  // namespace

nlohmann::ordered_json run_awp(MpiCommunicator& comm, const RunOptions& run, const AwpOptions& options) {
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  KernelPlan plan;
  std::optional<AwpRank> rank;
  agree_on(comm, [&] {
    plan = plan_awp(options, run, ranks);
    rank.emplace(comm, run, options, awp_processes(options, ranks));
  });
  return run_kernel(comm, run, plan,
                    {.prepare = [&] { rank->make_room(); },
                     .output = [&](std::uint64_t set, Done& done) { rank->output(set, done); }});
}

}  // namespace weft::kernels::awp
