// Reads what example_write_series wrote: example_read_series bar.h5
#include <algorithm>
#include <cstdio>
#include <exception>

#include "weft/weft.hpp"

int main(int argc, char** argv) {
  try {
    const auto reader = weft::SeriesReader::open(argc > 1 ? argv[1] : "bar.h5");
    std::printf("%llu steps committed\n", static_cast<unsigned long long>(reader.committed()));

    const auto over_time = reader.trace<double>("heat", 500);  // one node, all steps
    std::printf("node 500 at the end: %.3f\n", over_time.back());

    weft::SnapshotSweep sweep(reader, "heat");  // all steps in order, each byte read once
    std::vector<double> step(sweep.elements());
    double hottest = -1e300;
    while (sweep.next(std::span(step))) hottest = std::max(hottest, *std::max_element(step.begin(), step.end()));
    std::printf("hottest: %.3f\n", hottest);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "example_read_series: %s\n", error.what());
    return 1;
  }
}
