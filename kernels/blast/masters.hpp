// kernels/blast/masters.hpp - who deals tasks: the application's master to nodes, a node's master to its workers.
//
// Each is told what came and says what follows, to the end that every worker hears that there is no more, and every
// master of a node that its writer is done; then there is nothing under way.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "kernels/blast/blast_options.hpp"
#include "kernels/blast/messenger.hpp"

namespace weft::kernels::blast {

class ApplicationMaster {
 public:
  ApplicationMaster(const BlastOptions& options, const BlastNodes& nodes, std::uint64_t phase);

  void hear(const Message& message, Messenger& messages);
  bool is_done() const { return done_ == nodes_.count(); }

 private:
  const BlastOptions& options_;
  const BlastNodes& nodes_;
  std::uint64_t phase_;
  std::vector<std::uint64_t> dealt_;  // to each node
  std::uint64_t dealt_of_all_ = 0;
  bool stopped_ = false;
  std::uint64_t done_ = 0;
};

class NodeMaster {
 public:
  explicit NodeMaster(const BlastNode& node) : node_(node) {}

  void hear(const Message& message, Messenger& messages);
  bool is_done() const { return done_; }

 private:
  void serve(Messenger& messages);

  BlastNode node_;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> tasks_;  // place and task
  std::deque<std::uint64_t> waiting_;                          // workers
  bool asked_ = false;                                         // the application's master owes an answer
  bool no_more_ = false;
  bool must_stop_ = false;  // to be told, when nothing is asked
  bool writer_done_ = false;
  bool done_ = false;
};

}  // namespace weft::kernels::blast
