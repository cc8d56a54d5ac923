#include "kernels/mhm/mhm_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "kernels/mhm/threads.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"
#include "weft/support/shape.hpp"

namespace weft::kernels::mhm {

namespace {

constexpr std::uint64_t kMostBytes = 0x7fffffffffffffff;
constexpr std::uint64_t kMostCount = 0x7fffffff;  // of an MPI call
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kMostThreads = 1024;

// The band of a local problem's matrix is as wide as S, and the coarse problem is solved on every rank.
constexpr std::uint64_t kMostSolvedSubElements = 256;
constexpr std::uint64_t kMostSolvedCcross = 10;

constexpr std::array kStrategies{std::pair{"files", MhmStrategy::files},
                                 std::pair{"files-buffered", MhmStrategy::files_buffered},
                                 std::pair{"shared", MhmStrategy::shared},
                                 std::pair{"shared-buffered", MhmStrategy::shared_buffered},
                                 std::pair{"shared-collective", MhmStrategy::shared_collective},
                                 std::pair{"shared-aligned", MhmStrategy::shared_aligned},
                                 std::pair{"series", MhmStrategy::series}};

[[noreturn]] void refuse(const std::string& where, const std::string& what, const std::string& remedy) {
  throw Error(ErrorKind::usage, where, what, remedy);
}

// "1, 3, 5, 11, ..": what divides a problem's values.
std::string divisors_text(std::uint64_t values) {
  constexpr std::size_t kMost = 8;
  std::string text;
  std::size_t found = 0;
  for (std::uint64_t divisor = 1; divisor <= values && found < kMost; ++divisor) {
    if (values % divisor == 0) text += fmt::format("{}{}", found++ == 0 ? "" : ", ", divisor);
  }
  return found < kMost ? text : text + ", ..";
}

// What regions of shared-aligned begin at multiples of.
std::uint64_t alignment(const RunOptions& run) {
  std::uint64_t unit = run.align_bytes;
  const auto stripe = run.hints.find("striping_unit");
  if (unit == 0 && stripe != run.hints.end()) {
    const std::string& digits = stripe->second;
    std::from_chars(digits.data(), digits.data() + digits.size(), unit);
  }
  return unit > 0 ? unit : kPage;
}

void check_shape(const MhmShape& shape) {
  if (shape.ccross == 0)
    refuse("--ccross 0", "is not a criss-cross mesh, which has 4 triangles or more", "give 1 or more");
  if (shape.ccross > 30) refuse(fmt::format("--ccross {}", shape.ccross), "makes too many problems", "give 30 or less");
  if (shape.sub_elements == 0) refuse("--sub-elements 0", "is not a mesh", "give 1 or more");
  const std::uint64_t most = kMostBytes / kValueBytes / shape.problems();
  // Once S is below 2^31, its values are below 2^62.
  if (shape.sub_elements >= (std::uint64_t{1} << 31) || shape.values() > most) {
    refuse(fmt::format("--sub-elements {}", shape.sub_elements),
           fmt::format("with --ccross {} is more than 2^63 bytes", shape.ccross), "give less of either");
  }
  if (shape.dims == 0) refuse("--dims 0", "is not a value", "give 1 or more");
  if (shape.values() % shape.dims != 0) {
    refuse(fmt::format("--dims {}", shape.dims),
           fmt::format("does not divide the {} values of a problem with --sub-elements {}",
                       format_count(shape.values()), shape.sub_elements),
           fmt::format("give one of {}", divisors_text(shape.values())));
  }
}

void check_mpi_count(const MhmOptions& options, const RunOptions& run) {
  const std::uint64_t bytes = piece_bytes(options, run);
  if (bytes <= kMostCount) return;
  refuse(options.strategy == MhmStrategy::shared_aligned ? "strategy shared-aligned"
                                                         : fmt::format("--buffer {}", options.buffer_bytes),
         fmt::format("makes writes of {}, more than the 2^31 - 1 bytes of an MPI call", format_bytes(bytes)),
         "use a smaller buffer, or shared-buffered");
}

}  // namespace

std::string name_of(MhmStrategy strategy) {
  return std::find_if(kStrategies.begin(), kStrategies.end(), [&](const auto& s) { return s.second == strategy; })
      ->first;
}

MhmStrategy parse_mhm_strategy(const std::string& text) {
  std::string known;
  for (const auto& [name, strategy] : kStrategies) {
    if (text == name) return strategy;
    known += fmt::format("{}{}", known.empty() ? "use " : ", ", name);
  }
  refuse(fmt::format("strategy '{}'", text), "is not known", known);
}

MhmSource parse_mhm_source(const std::string& text) {
  if (text == "random") return MhmSource::random;
  if (text == "solve") return MhmSource::solve;
  refuse(fmt::format("--source '{}'", text), "is not known", "use random or solve");
}

TextFormat parse_text_format(const std::string& text) {
  if (text == "stdio") return TextFormat::stdio;
  if (text == "fast") return TextFormat::fast;
  refuse(fmt::format("--format '{}'", text), "is not known", "use stdio or fast");
}

bool is_shared(MhmStrategy strategy) {
  return strategy == MhmStrategy::shared || strategy == MhmStrategy::shared_buffered ||
         strategy == MhmStrategy::shared_collective || strategy == MhmStrategy::shared_aligned;
}

void check_mhm(const MhmOptions& options, const RunOptions& run) {
  check_shape(options.shape);
  if (options.buffer_bytes < kValueBytes) {
    refuse(fmt::format("--buffer {}", options.buffer_bytes), "does not hold a value, which has 13 bytes", "give more");
  }
  if (options.threads == 0 || options.threads > kMostThreads) {
    refuse(fmt::format("--threads {}", options.threads), "is not a number of threads",
           fmt::format("give 1 to {}", kMostThreads));
  }
  if (options.threads > 1 && !has_threads()) {
    refuse(fmt::format("--threads {}", options.threads), "this weft was built without OpenMP", "leave it out");
  }
  if (alignment(run) > kMostBytes / 2 / options.shape.problems()) {
    refuse(fmt::format("--align {}", alignment(run)), "makes a file of more than 2^62 bytes", "give less");
  }
  if (is_shared(options.strategy)) check_mpi_count(options, run);
  if (options.source == MhmSource::random) return;
  if (options.shape.sub_elements > kMostSolvedSubElements) {
    refuse(fmt::format("--sub-elements {}", options.shape.sub_elements), "is too fine for --source solve",
           fmt::format("give {} or less", kMostSolvedSubElements));
  }
  if (options.shape.ccross > kMostSolvedCcross) {
    refuse(fmt::format("--ccross {}", options.shape.ccross), "is too much for --source solve",
           fmt::format("give {} or less", kMostSolvedCcross));
  }
}

std::uint64_t region_bytes(const MhmOptions& options, const RunOptions& run) {
  const std::uint64_t text = options.shape.problem_bytes();
  if (options.strategy != MhmStrategy::shared_aligned) return text;
  return ceil_div(text, alignment(run)) * alignment(run);
}

std::uint64_t piece_bytes(const MhmOptions& options, const RunOptions& run) {
  const std::uint64_t text = options.shape.problem_bytes();
  switch (options.strategy) {
    case MhmStrategy::files:
    case MhmStrategy::shared: return kValueBytes;
    case MhmStrategy::shared_collective: return std::max<std::uint64_t>(options.buffer_bytes / text, 1) * text;
    case MhmStrategy::shared_aligned: return region_bytes(options, run);
    default: return std::min(options.buffer_bytes / kValueBytes * kValueBytes, text);
  }
}

}  // namespace weft::kernels::mhm
