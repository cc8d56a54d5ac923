// A program without MPI on an installed weft::core: writes a series and reads it.
#include <array>
#include <cstdio>
#include <memory>

#include "weft/weft.hpp"

int main() {
  constexpr std::uint64_t kNodes = 300;
  weft::SeriesSpec spec;
  spec.steps = 20;
  weft::FieldSpec field{.name = "V", .per_step = {kNodes}, .units = "mV"};
  field.owned = weft::partition::Ownership::all({kNodes});
  spec.fields = {field, weft::FieldSpec{.name = "energy", .support = weft::Support::global}};
  auto writer = weft::SeriesWriter::create(std::make_shared<weft::SelfCommunicator>(), "core.h5", spec);
  std::array<double, kNodes> v{};
  for (int step = 0; step < 20; ++step) {
    v.fill(step);
    writer.put("V", v);
    writer.put("energy", 0.5 * step);
    writer.end_step(step);
  }
  writer.close();
  const weft::SeriesReader reader = weft::SeriesReader::open("core.h5");
  const auto trace = reader.trace<double>("V", 7);
  std::printf("weft %s: %zu steps, the last %g\n", weft::kVersion, trace.size(), trace.back());
  return trace.size() == 20 && trace.back() == 19 && WEFT_VERSION_MAJOR >= 0 ? 0 : 1;
}
