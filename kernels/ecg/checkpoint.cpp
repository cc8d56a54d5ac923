#include "kernels/ecg/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "weft/reading/series_reader.hpp"
#include "weft/series/mpi_series.hpp"
#include "weft/support/mpi_communicator.hpp"

namespace weft::kernels::ecg {

namespace {

constexpr std::uint64_t kPiece = 4ULL << 20;  // bytes that are read at a time

// This rank's rows of one field, into their places in the local array. Rows may be scattered one by one, so they are
// taken from long pieces of the field, those that hold some.
void read_rows(const SeriesReader& reader, StateField& field) {
  if (reader.field(field.name).per_step != field.shape) {
    throw Error(ErrorKind::data, reader.path(),
                fmt::format("{} is {} a step, this simulation has {}", field.name,
                            to_string(reader.field(field.name).per_step), to_string(field.shape)),
                "restart with the options the run began with");
  }
  const std::uint64_t row = element_count(field.shape) / field.shape[0];
  field.values.resize(field.owned.local_elements());
  std::vector<partition::Run> runs = field.owned.runs();
  std::ranges::sort(runs, {}, &partition::Run::global);
  const std::uint64_t rows = std::max<std::uint64_t>(1, kPiece / sizeof(double) / row);
  std::vector<double> piece;
  for (auto run = runs.begin(); run != runs.end();) {
    const std::uint64_t first = run->global / row;
    const std::uint64_t count = std::min(rows, field.shape[0] - first);
    piece.resize(count * row);
    reader.read<double>(field.name, reader.block_box(field.name, first, count, 0, 1), std::span(piece));
    const std::uint64_t end = (first + count) * row;
    while (run != runs.end() && run->global < end) {
      const std::uint64_t length = std::min(run->length, end - run->global);
      const auto from = piece.begin() + static_cast<std::ptrdiff_t>(run->global - first * row);
      std::copy_n(from, length, field.values.begin() + static_cast<std::ptrdiff_t>(run->local));
      if (length == run->length) {
        ++run;
      } else {  // the rest is in the next piece
        *run = {run->global + length, run->local + length, run->length - length};
      }
    }
  }
}

// Windows of one step hold the state three times at most: being filled, being written, and on its way between ranks.
// They may take what that is, however much, as the run ends without them.
std::uint64_t budget_for(Communicator& comm, const std::vector<StateField>& state) {
  std::uint64_t bytes = 0;
  for (const StateField& field : state) bytes += field.values.size() * sizeof(double);
  return std::max(WriterOptions{}.budget_bytes, 6 * comm.max(bytes));
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
  MpiCommunicator comm(mpi_comm);
  spec.options.budget_bytes = budget_for(comm, state);
  for (const StateField& part : state) {
    FieldSpec field;
    field.name = part.name;
    field.per_step = part.shape;
    field.owned = part.owned;
    field.layout.reads = "snapshot=1";
    spec.fields.push_back(std::move(field));
  }
  SeriesWriter writer = create_series(mpi_comm, unfinished, spec);
  for (const StateField& part : state) writer.put<double>(part.name, part.values);
  writer.end_step(static_cast<double>(step));
  writer.close();
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
