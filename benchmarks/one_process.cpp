// benchmarks/one_process - Weft in one process: write a series, open it, then read traces, snapshots and a block, warm
// and cold, each timed inside.
//
// The partner of adios2_one_process.py: same values, same order of events, same JSON. Usage: one_process FILE NODES
// STEPS READS
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "weft/reading/series_reader.hpp"
#include "weft/series/series_writer.hpp"
#include "weft/support/stopwatch.hpp"

namespace {

// Value (step, node, component): cheap, and different everywhere.
void fill(std::vector<double>& values, std::uint64_t step) {
  const double base = static_cast<double>(step) * 1e-3;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) + base;
}

double write_all(const std::string& path, std::uint64_t nodes, std::uint64_t steps) {
  std::vector<double> values(2 * nodes);
  weft::SeriesSpec spec;
  spec.steps = steps;
  spec.options.sync = weft::Sync::none;  // none of the peers it is compared with brings its data to the disk
  spec.fields.emplace_back();
  spec.fields[0].name = "Data";
  spec.fields[0].per_step = {nodes, 2};
  spec.fields[0].owned = weft::partition::Ownership::all({nodes, 2});
  double seconds = 0;
  weft::Stopwatch creating;
  auto writer = weft::SeriesWriter::create(std::make_shared<weft::SelfCommunicator>(), path, spec);
  seconds += creating.seconds();
  for (std::uint64_t step = 0; step < steps; ++step) {
    fill(values, step);
    const weft::Stopwatch clock;
    writer.put("Data", values);
    writer.end_step(static_cast<double>(step));
    seconds += clock.seconds();
  }
  const weft::Stopwatch closing;
  writer.close();
  return seconds + closing.seconds();
}

// The next read of the file waits for the disk.
void leave_page_cache(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ::fsync(file);
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  ::close(file);
}

// Times `reads` calls of `read`, which says whether it read what it should; before each, the file `cold` leaves the
// page cache.
template <typename Read>
std::vector<double> timed(int reads, const Read& read, const std::string& cold = "") {
  std::vector<double> seconds;
  for (int i = 0; i < reads; ++i) {
    if (!cold.empty()) leave_page_cache(cold);
    const weft::Stopwatch clock;
    const bool right = read();
    seconds.push_back(clock.seconds());
    if (!right) {
      fmt::print(stderr, "one_process: wrong value read\n");
      std::exit(1);
    }
  }
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: one_process FILE NODES STEPS READS\n");
    return 2;
  }
  const std::string path = argv[1];
  const std::uint64_t nodes = std::strtoull(argv[2], nullptr, 10);
  const std::uint64_t steps = std::strtoull(argv[3], nullptr, 10);
  const int reads = std::atoi(argv[4]);

  nlohmann::json result;
  result["write"] = {write_all(path, nodes, steps)};
  result["open"] = timed(reads, [&] { return weft::SeriesReader::open(path).committed() == steps; });
  const auto reader = weft::SeriesReader::open(path);
  result["store"] = {{"latency_s", reader.access_cost().latency_s}, {"bandwidth", reader.access_cost().bandwidth}};
  std::mt19937_64 random(7);
  const auto trace = [&] {
    const std::uint64_t node = random() % nodes;
    const auto values = reader.trace<double>("Data", node);
    return values.size() == 2 * steps &&
           values.back() == static_cast<double>(2 * node + 1) + static_cast<double>(steps - 1) * 1e-3;
  };
  const auto snapshot = [&] {
    const std::uint64_t step = random() % steps;
    const auto values = reader.snapshot<double>("Data", step);
    return values.size() == 2 * nodes &&
           values.back() == static_cast<double>(2 * nodes - 1) + static_cast<double>(step) * 1e-3;
  };
  const auto block = [&] {
    const std::uint64_t first = random() % (nodes - nodes / 4);
    const auto values = reader.block<double>("Data", first, nodes / 4);
    return values.size() == nodes / 4 * 2 * steps && values[0] == static_cast<double>(2 * first);
  };
  const int few = std::max(1, reads / 5);
  result["trace"] = timed(reads, trace);
  result["snapshot"] = timed(reads, snapshot);
  result["block"] = timed(few, block);
  result["cold_trace"] = timed(few, trace, path);
  result["cold_snapshot"] = timed(few, snapshot, path);
  result["cold_block"] = timed(few, block, path);
  fmt::print("{}\n", result.dump());
  return 0;
}
