#include "predict/measured_rates.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>

#include "kernels/blast/blast_options.hpp"
#include "kernels/blast/blast_result.hpp"
#include "kernels/blast/zlib_block.hpp"
#include "kernels/io/kernel_run.hpp"
#include "kernels/mhm/mhm_kernel.hpp"
#include "stores/memory_at_hand.hpp"
#include "weft/exchange/window.hpp"
#include "weft/support/stopwatch.hpp"

namespace weft::predict {

using kernels::RunOptions;

namespace {

// The slowest rank's of three times, the middle one. Collective.
template <typename Work>
double rate_of(MpiCommunicator& comm, std::uint64_t bytes, const Work& work) {
  std::vector<double> rates;
  for (int time = 0; time < 3; ++time) {
    comm.max(0);  // all begin here
    const Stopwatch clock;
    work();
    const auto nanoseconds = static_cast<std::uint64_t>(clock.seconds() * 1e9);
    rates.push_back(static_cast<double>(bytes) * 1e9 /
                    static_cast<double>(std::max<std::uint64_t>(1, comm.max(nanoseconds))));
  }
  return median(rates);
}

}  // namespace

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

double fresh_copy_rate(MpiCommunicator& comm) {
  const std::vector<std::byte> from(64ULL << 20, std::byte{1});
  stores::have_memory_at_hand(2 * from.size(), comm.size());
  return rate_of(comm, from.size(), [&] {
    const exchange::PageMemory fresh(from.size());
    std::memcpy(fresh.data(), from.data(), from.size());
  });
}

std::map<std::string, double> measured_rates(MpiCommunicator& comm) {
  std::map<std::string, double> rates;
  rates["fresh copy"] = fresh_copy_rate(comm);
  const std::unique_ptr<FILE, int (*)(FILE*)> nowhere(std::fopen("/dev/null", "w"), std::fclose);
  constexpr std::uint64_t kValues = 100'000;
  rates["format"] = rate_of(comm, kValues * kernels::mhm::kValueBytes, [&] {
    for (std::uint64_t i = 0; i < kValues; ++i) {
      std::fprintf(nowhere.get(), "%12.5e\n", static_cast<double>(i * 7919 % 100'003) / 100'003);
    }
  });
  kernels::blast::BlastOptions options;
  const kernels::blast::ResultSpec spec = result_spec(options, RunOptions{});
  std::string results;
  for (std::uint64_t task = 0; task < 20; ++task) append_result(results, spec, task);
  const std::uint64_t bytes = results.size();
  rates["results"] = rate_of(comm, bytes, [&] {
    std::string again;
    for (std::uint64_t task = 0; task < 20; ++task) append_result(again, spec, task);
  });
  rates["zlib"] = rate_of(comm, bytes, [&] { kernels::blast::zlib_block(results, kernels::blast::Codec::zlib); });
  rates["libdeflate"] =
      rate_of(comm, bytes, [&] { kernels::blast::zlib_block(results, kernels::blast::Codec::libdeflate); });
  return rates;
}

MessageCost message_cost(MpiCommunicator& comm) {
  if (comm.size() < 2 || comm.nodes()[0] != comm.nodes()[1]) return {};
  constexpr std::uint64_t kShort = 64ULL << 10;
  constexpr std::uint64_t kLong = 8ULL << 20;
  std::vector<std::byte> bytes(comm.rank() < 2 ? kLong : 0, std::byte{1});
  const auto seconds = [&](std::uint64_t length, std::uint64_t messages) {
    const std::span<std::byte> part = std::span(bytes).first(comm.rank() < 2 ? length : 0);
    return static_cast<double>(length) / rate_of(comm, messages * length, [&] {
             for (std::uint64_t message = 0; message < messages; ++message) {
               if (comm.rank() == 0) comm.exchange({}, std::array{Incoming{1, part}});
               if (comm.rank() == 1) comm.exchange(std::array{Outgoing{0, part}}, {});
             }
           });
  };
  const double one_short = seconds(kShort, 64);
  const double one_long = seconds(kLong, 8);
  const double rate = static_cast<double>(kLong - kShort) / std::max(one_long - one_short, 1e-9);
  constexpr double kNothing = 1e-9;  // less than can be told apart from the bytes
  return {std::max(kNothing, one_short - static_cast<double>(kShort) / rate), rate};
}

}  // namespace weft::predict
