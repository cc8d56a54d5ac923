#include "weft/storage/step_times.hpp"

#include <algorithm>
#include <span>

namespace weft::storage {

std::vector<double> step_times(ByteStore& store, const SeriesCatalog& catalog, std::uint64_t first,
                               std::uint64_t count) {
  std::vector<double> times;
  for (const SegmentEntry& segment : catalog.segments) {
    const ArrayEntry& array = segment.fields[0];
    const std::uint64_t room = array.chunk[0];
    const std::uint64_t begin = std::max(first, segment.first_step);
    const std::uint64_t end = std::min(first + count, segment.first_step + segment.steps);
    for (std::uint64_t step = begin; step < end; ++step) {
      const std::uint64_t here = step - segment.first_step;
      double time = 0;
      store.read_at(array.addresses.at(here / room) + here % room * sizeof(double),
                    std::as_writable_bytes(std::span(&time, 1)));
      times.push_back(time);
    }
  }
  return times;
}

}  // namespace weft::storage
