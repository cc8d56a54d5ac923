#include "weft/series/window_length.hpp"

#include <algorithm>

#include "weft/support/shape.hpp"

namespace weft::series {

std::uint64_t least_budget(const WindowNeeds& needs) {
  return 2 * needs.tile_bytes_per_step + needs.mail_bytes_per_step + needs.filtered_bytes_per_step;
}

std::uint64_t steps_that_fit(const WindowNeeds& needs, std::uint64_t budget_bytes, std::uint64_t chunk_steps) {
  const std::uint64_t per_step = least_budget(needs);
  return per_step == 0 ? chunk_steps : std::min(budget_bytes / per_step, chunk_steps);
}

std::uint64_t window_steps(std::uint64_t fitting, std::uint64_t chunk_steps) {
  return ceil_div(chunk_steps, ceil_div(chunk_steps, fitting));
}

std::uint64_t window_end(std::uint64_t step, std::uint64_t window_steps, std::uint64_t chunk_steps,
                         std::uint64_t segment_steps) {
  const std::uint64_t windows = ceil_div(chunk_steps, window_steps);
  const std::uint64_t inside = step % chunk_steps;
  // Window i ends at ceil((i + 1) chunk_steps / windows), so `inside` is in window floor(inside windows / chunk_steps).
  const std::uint64_t window = inside * windows / chunk_steps;
  const std::uint64_t end = ceil_div((window + 1) * chunk_steps, windows);
  return std::min(step - inside + end, segment_steps);
}

}  // namespace weft::series
