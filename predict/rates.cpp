#include "predict/rates.hpp"

namespace weft::predict {

Rates rates_of(const stores::StoreProfile& profile) {
  Rates rates;
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
