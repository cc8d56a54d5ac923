#include "predict/measured_rates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

#include "kernels/blast/blast_options.hpp"
#include "kernels/blast/blast_result.hpp"
#include "kernels/blast/zlib_block.hpp"
#include "kernels/io/kernel_run.hpp"
#include "kernels/mhm/mhm_kernel.hpp"
#include "weft/exchange/window.hpp"
#include "weft/support/stopwatch.hpp"

namespace weft::predict {

using kernels::RunOptions;

namespace {

template <typename Work>
double rate_of(std::uint64_t bytes, const Work& work, std::chrono::milliseconds idle = {}) {
  std::vector<double> rates;
  for (int time = 0; time < 3; ++time) {
    std::this_thread::sleep_for(idle);
    const Stopwatch clock;
    work();
    rates.push_back(static_cast<double>(bytes) / clock.seconds());
  }
  return median(rates);
}

}  // namespace

double between_moods(double one, double other) { return std::sqrt(one * other); }

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::map<std::string, double> measured_rates() {
  std::map<std::string, double> rates;
  const std::vector<std::byte> from(64ULL << 20, std::byte{1});
  const auto copy_to_fresh = [&] {
    const exchange::PageMemory fresh(from.size());
    std::memcpy(fresh.data(), from.data(), from.size());
  };
  rates["fresh copy"] = between_moods(rate_of(from.size(), copy_to_fresh, kRest), rate_of(from.size(), copy_to_fresh));
  const std::unique_ptr<FILE, int (*)(FILE*)> nowhere(std::fopen("/dev/null", "w"), std::fclose);
  constexpr std::uint64_t kValues = 100'000;
  rates["format"] = rate_of(kValues * kernels::mhm::kValueBytes, [&] {
    for (std::uint64_t i = 0; i < kValues; ++i) {
      std::fprintf(nowhere.get(), "%12.5e\n", static_cast<double>(i * 7919 % 100'003) / 100'003);
    }
  });
  kernels::blast::BlastOptions options;
  const kernels::blast::ResultSpec spec = result_spec(options, RunOptions{});
  std::string results;
  for (std::uint64_t task = 0; task < 20; ++task) append_result(results, spec, task);
  const std::uint64_t bytes = results.size();
  rates["results"] = rate_of(bytes, [&] {
    std::string again;
    for (std::uint64_t task = 0; task < 20; ++task) append_result(again, spec, task);
  });
  rates["zlib"] = rate_of(bytes, [&] { kernels::blast::zlib_block(results, kernels::blast::Codec::zlib); });
  rates["libdeflate"] = rate_of(bytes, [&] { kernels::blast::zlib_block(results, kernels::blast::Codec::libdeflate); });
  return rates;
}

double message_rate(MpiCommunicator& comm) {
  constexpr int kMessages = 64;
  if (comm.size() < 2 || comm.nodes()[0] != comm.nodes()[1]) return 0;
  std::vector<std::byte> bytes(comm.rank() < 2 ? 256ULL << 10 : 0, std::byte{1});
  return rate_of(kMessages * bytes.size(), [&] {
    comm.max(0);
    for (int message = 0; message < kMessages; ++message) {
      if (comm.rank() == 0) comm.exchange({}, std::array{Incoming{1, bytes}});
      if (comm.rank() == 1) comm.exchange(std::array{Outgoing{0, bytes}}, {});
    }
  });
}

}  // namespace weft::predict
