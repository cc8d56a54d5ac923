// kernels/blast/hands.hpp - who does the tasks: workers, who find results, and a node's writer, who puts them in its
// file.
//
// What goes wrong is kept until the phase is over: whoever met it says stop, and all others come to their end.
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string>

#include "kernels/blast/blast_options.hpp"
#include "kernels/blast/messenger.hpp"
#include "kernels/blast/node_file.hpp"

namespace weft::kernels::blast {

class Worker {
 public:
  Worker(const BlastNode& node, const ResultSpec& spec) : node_(node), spec_(spec) {}

  void begin(Messenger& messages) { messages.send(node_.master(), Word::worker_asks); }
  void hear(const Message& task, Messenger& messages);
  bool is_done() const { return done_; }
  std::exception_ptr failure() const { return failure_; }

 private:
  BlastNode node_;
  ResultSpec spec_;
  bool done_ = false;
  std::exception_ptr failure_;
};

// Puts results into the file in the order of their places where tasks are dealt fixed, those that come early waiting in
// memory, and as they come where tasks are dealt on demand.
class Writer {
 public:
  // Makes the file.
  Writer(const BlastNode& node, const BlastOptions& options, const std::string& path, FileAccount account,
         std::uint64_t expected);

  void begin(Messenger& messages) { say_stop(messages); }  // where the file could not be made
  void hear(Message message, Messenger& messages);
  bool is_done() const { return done_; }
  std::exception_ptr failure() const { return failure_; }
  std::uint64_t text_bytes() const { return text_bytes_; }  // that went into the file

 private:
  template <typename Action>
  void attempt(const Action& action);
  void say_stop(Messenger& messages);
  void take(const std::string& text);

  BlastNode node_;
  bool in_order_;
  std::unique_ptr<NodeFile> file_;
  std::map<std::uint64_t, std::string> early_;
  std::uint64_t next_ = 0;
  std::uint64_t text_bytes_ = 0;
  std::uint64_t workers_done_ = 0;
  bool done_ = false;
  bool said_stop_ = false;
  std::exception_ptr failure_;
};

}  // namespace weft::kernels::blast
