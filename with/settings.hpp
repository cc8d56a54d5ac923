// with/settings.hpp - what `weft with` told this process to do.
//
// The command puts its options into the environment as JSON (cli/with_command.cpp), and every process that it starts,
// the ranks of an mpiexec among them, reads them there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::with {

inline constexpr const char* kSettingsVariable = "WEFT_WITH";

// How the chunks of some datasets are chosen.
struct Rule {
  std::string match = "*";                   // a pattern of a shell, of the dataset's path in its file
  bool keep = false;                         // leave these as the program wants them
  std::string algorithm = "reads";           // layout/design.hpp
  std::string reads = "snapshot=1,trace=1";  // layout/reads.hpp
  std::vector<std::uint64_t> chunk;          // these, instead of a design
  std::uint64_t target_bytes = 1U << 20U;
  std::uint64_t steps = 1000;              // expected along an unlimited first axis
  std::uint64_t least_bytes = 16U << 20U;  // smaller datasets are left as they are
  bool contiguous = false;                 // chunk what the program does not chunk, too
};

struct Settings {
  bool watch = false;
  bool layout = false;
  bool write_behind = false;
  std::vector<Rule> rules;                     // the first that matches
  std::uint64_t budget_bytes = 256ULL << 20U;  // of steps that wait, in this process
  double within_seconds = 60;                  // how long a step may wait
  std::uint64_t cache_bytes = 256ULL << 20U;   // the most that a dataset's chunk cache is raised to
  std::string report;                          // a folder: each process leaves a file there when it ends
};

// Those of this process. Off altogether where there are none, or where they cannot be read.
const Settings& settings();

// A pattern of the shell (* ? [...]), for the whole path; "V*" means "/V*".
bool matches(std::string_view pattern, std::string_view path);

// The first rule for a dataset of this path.
std::optional<Rule> rule_for(std::string_view path);

// One line of this process on standard error, after "weft with: "; of the ranks of one program only rank 0 speaks.
void say(std::string_view line);

}  // namespace weft::with
