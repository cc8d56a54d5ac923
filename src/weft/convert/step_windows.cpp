#include "weft/convert/step_windows.hpp"

#include <algorithm>

namespace weft::convert {

std::vector<StepWindow> step_windows(std::span<const std::uint64_t> steps, std::uint64_t most,
                                     const std::function<std::uint64_t(std::uint64_t step)>& chunk_of) {
  std::vector<StepWindow> windows;
  for (std::size_t first = 0; first < steps.size();) {
    std::size_t end = first + static_cast<std::size_t>(std::min<std::uint64_t>(most, steps.size() - first));
    if (end < steps.size()) {
      std::size_t cut = end;
      while (cut > first && chunk_of(steps[cut]) == chunk_of(steps[cut - 1])) --cut;
      if (cut > first) end = cut;
    }
    windows.push_back({first, end - first});
    first = end;
  }
  return windows;
}

Tile tile_for(std::uint64_t steps, std::uint64_t rows, std::uint64_t chunk_steps, std::uint64_t chunk_rows,
              std::uint64_t fitting) {
  chunk_steps = std::clamp<std::uint64_t>(chunk_steps, 1, std::max<std::uint64_t>(1, steps));
  chunk_rows = std::clamp<std::uint64_t>(chunk_rows, 1, std::max<std::uint64_t>(1, rows));
  if (rows == 0 || steps == 0) return {1, 1};
  if (const std::uint64_t whole = fitting / rows; whole >= chunk_steps) {
    return {whole >= steps ? steps : whole / chunk_steps * chunk_steps, rows};
  }
  if (const std::uint64_t fit = fitting / chunk_steps; fit > 0) {
    return {chunk_steps, fit >= chunk_rows ? fit / chunk_rows * chunk_rows : fit};
  }
  return {1, std::min(fitting, rows)};
}

}  // namespace weft::convert
