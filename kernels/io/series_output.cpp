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

}  // namespace

SeriesOutput::SeriesOutput(const MpiCommunicator& comm, const std::string& path, SeriesSpec spec,
                           const RunOptions& options, FileAccount account)
    : account_(account) {
  spec.align_bytes = options.align_bytes;
  spec.options.sync = Sync::none;  // as the application's own ways, which it is compared with
  spec.options.work = "weft run";
  MpiOptions mpi;
  mpi.stripe_count = number_of(options.hints, "striping_factor");
  mpi.stripe_bytes = number_of(options.hints, "striping_unit");
  writer_ = timed(account_.times.open,
                  [&] { return std::make_unique<SeriesWriter>(create_series(comm.handle(), path, spec, mpi)); });
  ++account_.app.opens;
}

void SeriesOutput::end_step(double time) {
  timed(account_.times.write, [&] { writer_->end_step(time); });
}

void SeriesOutput::close() {
  timed(account_.times.close, [&] { writer_->close(); });
  ++account_.app.closes;
  const storage::SyscallCounters& seen = writer_->counters().syscall;
  Calls& system = account_.system;
  system.opens += seen.opens;
  system.closes += seen.closes;
  system.seeks += seen.seeks;
  for (const auto& [bytes, times] : seen.write_sizes.times()) system.write(bytes, times);
}

}  // namespace weft::kernels
