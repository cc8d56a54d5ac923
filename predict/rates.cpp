#include "predict/rates.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "kernels/mhm/mhm_shape.hpp"

namespace weft::predict {

bool is_local(const stores::StoreProfile& profile) {
  constexpr std::array<std::string_view, 6> kLocal{"ext4", "xfs", "btrfs", "tmpfs", "ext2/ext3", "zfs"};
  return std::ranges::find(kLocal, profile.file_system) != kLocal.end();
}

std::uint64_t stdio_bytes(const stores::StoreProfile& profile) {
  return profile.block_bytes == 0 ? 4096 : profile.block_bytes;
}

Rates rates_of(const stores::StoreProfile& profile, std::uint64_t node_ranks) {
  Rates rates;
  if (is_local(profile) && profile.cores > 0) {
    // Each rank has a thread that writes, and the cores that ranks leave are those threads'.
    const auto ranks = static_cast<double>(node_ranks);
    rates.behind = std::clamp(static_cast<double>(profile.cores) / ranks - 1, 0.0, 1.0);
  }
  if (profile.copy_bytes_per_s > 0) rates.copy = profile.copy_bytes_per_s;
  const auto take = [&](double& rate, const char* name) {
    const auto found = profile.rates.find(name);
    if (found != profile.rates.end() && found->second > 0) rate = found->second;
  };
  take(rates.fresh_copy, "fresh copy");
  take(rates.format, "format");
  int ranks_of_text = 0;
  for (const stores::CallCell& cell : profile.calls) {
    // Of as many ranks as there are, or the next fewer.
    if (cell.call != "text value" || cell.ranks <= ranks_of_text || cell.call_s <= 0) continue;
    if (ranks_of_text > 0 && static_cast<std::uint64_t>(cell.ranks) > node_ranks) continue;
    rates.format = kernels::mhm::kValueBytes / cell.call_s;
    ranks_of_text = cell.ranks;
  }
  take(rates.results, "results");
  take(rates.zlib, "zlib");
  take(rates.libdeflate, "libdeflate");
  return rates;
}

}  // namespace weft::predict
