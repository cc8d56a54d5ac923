#include "kernels/ecg/checkpoint.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "weft/reading/series_reader.hpp"
#include "weft/series/mpi_series.hpp"
#include "weft/support/mpi_communicator.hpp"

namespace weft::kernels::ecg {

namespace {

// This rank's rows of one field, run for run, into their places in the local array.
void read_rows(const SeriesReader& reader, StateField& field) {
  if (reader.field(field.name).per_step != field.shape) {
    throw Error(ErrorKind::data, reader.path(),
                fmt::format("{} is {} a step, this simulation has {}", field.name,
                            to_string(reader.field(field.name).per_step), to_string(field.shape)),
                "restart with the options the run began with");
  }
  const std::uint64_t row = element_count(field.shape) / field.shape[0];
  field.values.resize(field.owned.local_elements());
  for (const partition::Run& run : field.owned.runs()) {
    const Box box = reader.block_box(field.name, run.global / row, run.length / row, 0, 1);
    reader.read<double>(field.name, box, std::span(field.values).subspan(run.local, run.length));
  }
}

}  // namespace

std::string checkpoint_path(const std::string& series) { return series + ".checkpoint"; }

void save_checkpoint(MPI_Comm mpi_comm, const std::string& path, std::uint64_t step, const StepSource& source,
                     Sync sync) {
  const std::string unfinished = path + ".new";
  const std::vector<StateField> state = source.state();
  SeriesSpec spec;
  spec.steps = 1;
  spec.time_units = "steps";
  spec.options.sync = sync;
  for (const StateField& part : state) {
    FieldSpec field;
    field.name = part.name;
    field.per_step = part.shape;
    field.owned = part.owned;
    field.layout.kind = LayoutKind::rows;
    spec.fields.push_back(std::move(field));
  }
  SeriesWriter writer = create_series(mpi_comm, unfinished, spec);
  for (const StateField& part : state) writer.put<double>(part.name, part.values);
  writer.end_step(static_cast<double>(step));
  writer.close();
  MpiCommunicator comm(mpi_comm);
  agree_on(comm, [&] {
    if (comm.rank() == 0 && std::rename(unfinished.c_str(), path.c_str()) != 0) {
      throw system_error(path, "the checkpoint cannot be put in its place", errno);
    }
  });
}

std::optional<std::uint64_t> load_checkpoint(MPI_Comm mpi_comm, const std::string& path, StepSource& source) {
  MpiCommunicator comm(mpi_comm);
  const std::uint64_t there = comm.rank() == 0 && std::filesystem::exists(path) ? 1 : 0;
  if (comm.max(there) == 0) return std::nullopt;
  const SeriesReader reader = SeriesReader::open(comm, path);
  std::uint64_t step = 0;
  agree_on(comm, [&] {
    std::vector<StateField> state = source.state();
    if (reader.committed() != 1 || reader.fields().size() != state.size()) {
      throw Error(ErrorKind::data, path, "is not a checkpoint of this simulation", "remove it to start again");
    }
    for (StateField& field : state) read_rows(reader, field);
    step = static_cast<std::uint64_t>(reader.times().at(0));
    source.restore(step, state);
  });
  return step;
}

}  // namespace weft::kernels::ecg
