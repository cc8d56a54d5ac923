#include "bindings/on_ranks.hpp"

#ifdef WEFT_WITH_MPI

#include "weft/series/mpi_series.hpp"
#include "weft/series/spec_words.hpp"
#include "weft/support/amount.hpp"

namespace weft::c {

namespace {

constexpr std::string_view kHint = "hint.";

MpiOptions options_of(const weft_spec& spec) {
  MpiOptions options;
  for (const auto& [name, value] : spec.of_ranks) {
    if (name == "strategy") options.strategy = parse_strategy(value);
    if (name == "stripe_count") options.stripe_count = series::parse_whole_number(value, name);
    if (name == "stripe_size") options.stripe_bytes = parse_bytes(value);
    if (name.starts_with(kHint)) options.hints[name.substr(kHint.size())] = value;
  }
  return options;
}

MPI_Comm communicator(int comm) {
  int is_there = 0;
  MPI_Initialized(&is_there);
  if (is_there == 0) throw Error(ErrorKind::usage, "MPI", "is not initialised", "call MPI_Init before");
  const MPI_Comm made = MPI_Comm_f2c(comm);
  if (made == MPI_COMM_NULL) throw Error(ErrorKind::usage, "the communicator", "is MPI_COMM_NULL", "give another one");
  return made;
}

}  // namespace

void refuse_after_mpi() {
  int has_ended = 0;
  MPI_Finalized(&has_ended);
  if (has_ended == 0) return;
  throw Error(ErrorKind::usage, "MPI", "has ended, and steps since the last commit are lost",
              "call weft_close before MPI_Finalize");
}

SeriesWriter create_on_ranks(const weft_spec& spec, const std::string& path, int comm) {
  const MPI_Comm ranks = communicator(comm);
  MpiCommunicator own(ranks);
  return create_series(ranks, path, series_of(spec, own), options_of(spec));
}

SeriesWriter append_on_ranks(const weft_spec& spec, const std::string& path, int comm) {
  const MPI_Comm ranks = communicator(comm);
  MpiCommunicator own(ranks);
  return append_series(ranks, path, append_of(spec, own, path), options_of(spec));
}

}  // namespace weft::c

#else

namespace weft::c {

namespace {

Error without_mpi() {
  return {ErrorKind::usage, "this libweft", "was built without MPI",
          "use weft_create, or build it with -DWEFT_MPI=..."};
}

}  // namespace

void refuse_after_mpi() {}

SeriesWriter create_on_ranks(const weft_spec& /*spec*/, const std::string& /*path*/, int /*comm*/) {
  throw without_mpi();
}
SeriesWriter append_on_ranks(const weft_spec& /*spec*/, const std::string& /*path*/, int /*comm*/) {
  throw without_mpi();
}

}  // namespace weft::c

#endif
