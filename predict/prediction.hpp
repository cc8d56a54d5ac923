// predict/prediction.hpp - what a run would take: its phases, each with an interval.
//
// The middle is the store as the probe saw it in the median; the ends are its slowest and its quickest pass, and what
// the model itself is off by (kModelError, docs/predicting.md).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "predict/machine.hpp"
#include "predict/workload.hpp"

namespace weft::predict {

// Four of five predictions were nearer than this to what was measured: a factor, either way.
inline constexpr double kModelError = 1.4;

struct Seconds {
  double middle = 0;
  double least = 0;
  double most = 0;
  // Whether one of the two is surely less.
  bool apart_from(const Seconds& other) const { return most < other.least || other.most < least; }
};

struct Prediction {
  std::string kernel;
  std::string strategy;
  std::string store;
  std::uint64_t ranks = 1;
  std::uint64_t nodes = 1;
  std::uint64_t bytes = 0;
  Requests requests;
  std::optional<Messages> messages;
  Seconds output;
  std::vector<std::pair<std::string, Seconds>> phases;  // of the rank that spends most in each
  std::vector<std::pair<std::string, Seconds>> afterwards;
  std::vector<std::string> leaves_out;
};

// Throws as simulate() and Machine do.
Prediction predict(const Workload& work, const stores::StoreProfile& profile, const Cluster& cluster);

// kernel, strategy, store, ranks, nodes, bytes, requests{writes, bytes}, messages?{count, bytes},
// seconds{output{middle, least, most}, PHASE..},
// afterwards?{PHASE{middle, least, most}..}, leaves_out[].
nlohmann::ordered_json to_json(const Prediction& prediction);
std::string to_text(const Prediction& prediction);

}  // namespace weft::predict
