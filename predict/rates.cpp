#include "predict/rates.hpp"

#include <algorithm>
#include <string_view>

namespace weft::predict {

bool is_local(const stores::StoreProfile& profile) {
  for (const std::string_view local : {"ext4", "xfs", "btrfs", "tmpfs", "ext2/ext3", "zfs"}) {
    if (profile.file_system == local) return true;
  }
  return false;
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
  take(rates.results, "results");
  take(rates.zlib, "zlib");
  take(rates.libdeflate, "libdeflate");
  return rates;
}

}  // namespace weft::predict
