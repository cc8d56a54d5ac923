#include "weft/support/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "weft/support/amount.hpp"

namespace weft {

Progress::Progress(std::string what, std::string unit, std::uint64_t total, bool shown)
    : what_(std::move(what)),
      unit_(std::move(unit)),
      total_(total),
      shown_(shown),
      terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (written_ && terminal_) fmt::print(stderr, "\n");
}

void Progress::update(std::uint64_t done, const std::string& more) {
  const double now = clock_.seconds();
  if (!shown_ || now < next_ || done == 0 || done == total_) return;
  next_ = now + (terminal_ ? 0.2 : 5.0);
  std::string counted = fmt::format("{} {}", unit_, done);
  if (total_ > 0) {
    const double left = now / static_cast<double>(done) * static_cast<double>(total_ - done);
    const double percent = 100.0 * static_cast<double>(done) / static_cast<double>(total_);
    counted = unit_.empty() ? fmt::format("{} of {}, {:.0f} %, {}/s", format_bytes(done), format_bytes(total_), percent,
                                          format_bytes(static_cast<std::uint64_t>(static_cast<double>(done) / now)))
                            : fmt::format("{} {} of {}, {:.0f} %", unit_, done, total_, percent);
    counted += fmt::format(", about {} left", format_seconds(left));
  }
  counted += more;
  fmt::print(stderr, "{}{}: {}{}", terminal_ ? "\r" : "", what_, counted, terminal_ ? "   " : "\n");
  std::fflush(stderr);
  written_ = true;
}

}  // namespace weft
