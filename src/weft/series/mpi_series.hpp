// weft/series/mpi_series.hpp - series on MPI ranks: the door for simulations (target weft::mpi).
#pragma once

#include <mpi.h>

#include <map>
#include <string>
#include <string_view>

#include "weft/series/series_writer.hpp"
#include "weft/support/mpi_communicator.hpp"

#pragma GCC visibility push(default)

namespace weft {

enum class Strategy { owner, per_step, cached };

// "owner", "per-step", "cached"; parsing throws Error(usage) for any other word.
std::string_view name_of(Strategy strategy);
Strategy parse_strategy(std::string_view text);

struct MpiOptions {
  Strategy strategy = Strategy::owner;
  std::map<std::string, std::string> hints;  // for MPI-IO, where a collective strategy uses it
  std::uint64_t count_limit = 0x7fffffff;    // no MPI call is given a count above it
  // On Lustre the file is created with this many stripes of this size; 0: the directory's default. Elsewhere not used.
  std::uint64_t stripe_count = 0;
  std::uint64_t stripe_bytes = 0;
};

// SeriesWriter::create and ::append on the ranks of `comm`, which is duplicated. Collective. MPI_THREAD_FUNNELED is
// enough.
SeriesWriter create_series(MPI_Comm comm, const std::string& path, const SeriesSpec& spec,
                           const MpiOptions& options = {});
SeriesWriter append_series(MPI_Comm comm, const std::string& path, const AppendSpec& spec,
                           const MpiOptions& options = {});

}  // namespace weft

#pragma GCC visibility pop
