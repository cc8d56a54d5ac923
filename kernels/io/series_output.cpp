#include "kernels/io/series_output.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "weft/support/error.hpp"

namespace weft::kernels {

namespace {

// Stripes are the only hints that mean something to a writer without MPI-IO. 0: nothing was said.
std::uint64_t number_of(const Hints& hints, const std::string& key) {
  const auto hint = hints.find(key);
  if (hint == hints.end()) return 0;
  const std::string& text = hint->second;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw Error(ErrorKind::usage, fmt::format("--hint {}={}", key, text), "is not a number").agreed();
  }
  return number;
}

SeriesWriter new_series(const MpiCommunicator& comm, const std::string& path, SeriesSpec spec,
                        const RunOptions& options, Sync sync) {
  spec.align_bytes = options.align_bytes;
  spec.options.sync = sync;
  spec.options.work = "weft run";
  MpiOptions mpi;
  mpi.stripe_count = number_of(options.hints, "striping_factor");
  mpi.stripe_bytes = number_of(options.hints, "striping_unit");
  return create_series(comm.handle(), path, spec, mpi);
}

}  // namespace

void add_calls(const storage::SyscallCounters& seen, Calls& system) {
  system.opens += seen.opens;
  system.closes += seen.closes;
  system.seeks += seen.seeks;
  for (const auto& [bytes, times] : seen.write_sizes.times()) system.write(bytes, times);
}

SeriesOutput::SeriesOutput(FileAccount account, const std::function<SeriesWriter()>& open)
    : account_(account), writer_(timed(account_.times.open, account_.times.calls.open, [&] {
        return std::make_unique<SeriesWriter>(open());
      })) {
  ++account_.app.opens;
}

SeriesOutput::SeriesOutput(const MpiCommunicator& comm, const std::string& path, SeriesSpec spec,
                           const RunOptions& options, FileAccount account, Sync sync)
    : SeriesOutput(account, [&] { return new_series(comm, path, std::move(spec), options, sync); }) {}

void SeriesOutput::put_bytes(std::string_view field, DataType type, std::span<const std::byte> values) {
  timed(account_.times.write, account_.times.calls.write, [&] { writer_->put_bytes(field, type, values); });
  if (!values.empty()) account_.app.write(values.size());
}

void SeriesOutput::end_step(double time) {
  timed(account_.times.write, account_.times.calls.end_step, [&] { writer_->end_step(time); });
}

void SeriesOutput::close() {
  timed(account_.times.close, account_.times.calls.close, [&] { writer_->close(); });
  ++account_.app.closes;
  add_calls(writer_->counters().syscall, account_.system);
}

}  // namespace weft::kernels
