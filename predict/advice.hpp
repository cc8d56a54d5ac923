// predict/advice.hpp - ways of doing the same, ranked by what they would take.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "predict/prediction.hpp"

namespace weft::predict {

// A way of writing, as it is typed, and what reading the file costs afterwards.
struct Way {
  std::string options;  // "--strategy owner --layout reads"
  Workload work;
  std::vector<std::pair<std::string, double>> reads{};  // seconds of one snapshot, one trace, ...; none: not known
  double reads_s = 0;                                   // of all that are expected
};

struct Ranked {
  std::string options;
  Prediction prediction;
  std::vector<std::pair<std::string, double>> reads;
  Seconds total;             // writing, and the reads that are expected
  bool cannot_tell = false;  // from the first: the intervals overlap
};

// By their totals, the quickest first.
std::vector<Ranked> ranked(std::vector<Ranked> ways);

// Each way is simulated. Throws as predict() does; Error(usage) where there is no way.
std::vector<Ranked> advise(const std::vector<Way>& ways, const stores::StoreProfile& profile, const Cluster& cluster);

// What to tell a file system that stripes files of so many writers, as commands for `folder`; nothing where it has no
// such command.
std::vector<std::string> striping_commands(const stores::StoreProfile& profile, std::uint64_t writers,
                                           const std::string& folder);

nlohmann::ordered_json to_json(const std::vector<Ranked>& ways);

}  // namespace weft::predict
