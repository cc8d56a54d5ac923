#include "weft/series/mpi_series.hpp"

#include <fmt/format.h>
#include <sys/vfs.h>

#include <filesystem>
#include <memory>

#include "weft/series/mpi_collective_strategy.hpp"

namespace weft {

namespace {

constexpr long kLustreMagic = 0x0BD00BD0;  // statfs(2) f_type of Lustre

bool on_lustre(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  struct statfs status {};
  return ::statfs(folder.empty() ? "." : folder.c_str(), &status) == 0 && status.f_type == kLustreMagic;
}

// Striping is fixed when a file is made, so an empty file is made through MPI-IO, which knows how to ask Lustre for it;
// the series is then created in that file.
void create_striped(const std::string& path, const MpiOptions& options) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  if (options.stripe_count > 0) MPI_Info_set(info, "striping_factor", std::to_string(options.stripe_count).c_str());
  if (options.stripe_bytes > 0) MPI_Info_set(info, "striping_unit", std::to_string(options.stripe_bytes).c_str());
  MPI_File file = MPI_FILE_NULL;
  const int opened = MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &file);
  MPI_Info_free(&info);
  check_mpi(opened, path + ": creating the striped file");
  check_mpi(MPI_File_close(&file), path + ": creating the striped file");
}

series::StrategyFactory strategy_for(const std::shared_ptr<MpiCommunicator>& comm, const MpiOptions& options) {
  if (options.strategy == Strategy::owner) return series::make_owner_strategy;
  series::CollectiveOptions collective;
  collective.cached = options.strategy == Strategy::cached;
  collective.hints = options.hints;
  return series::make_collective_strategy(comm, collective);
}

}  // namespace

std::string_view name_of(Strategy strategy) {
  switch (strategy) {
    case Strategy::owner: return "owner";
    case Strategy::per_step: return "per-step";
    case Strategy::cached: return "cached";
  }
  return "owner";
}

Strategy parse_strategy(std::string_view text) {
  for (const Strategy strategy : {Strategy::owner, Strategy::per_step, Strategy::cached}) {
    if (text == name_of(strategy)) return strategy;
  }
  throw Error(ErrorKind::usage, fmt::format("strategy '{}'", text), "is not known", "use owner, per-step or cached");
}

SeriesWriter create_series(MPI_Comm comm, const std::string& path, const SeriesSpec& spec, const MpiOptions& options) {
  auto group = std::make_shared<MpiCommunicator>(comm, options.count_limit);
  const auto stripe = [&](const std::string& part) {
    const bool wanted = options.stripe_count > 0 || options.stripe_bytes > 0;
    if (wanted && on_lustre(part)) create_striped(part, options);
  };
  return SeriesWriter::create(group, path, spec, strategy_for(group, options), stripe);
}

SeriesWriter append_series(MPI_Comm comm, const std::string& path, const AppendSpec& spec, const MpiOptions& options) {
  auto group = std::make_shared<MpiCommunicator>(comm, options.count_limit);
  return SeriesWriter::append(group, path, spec, strategy_for(group, options));
}

}  // namespace weft
