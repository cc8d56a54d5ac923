#include "kernels/blast/masters.hpp"

#include <utility>

namespace weft::kernels::blast {

namespace {

constexpr std::uint64_t kApplicationMaster = 0;  // its rank

}  // namespace

ApplicationMaster::ApplicationMaster(const BlastOptions& options, const BlastNodes& nodes, std::uint64_t phase)
    : options_(options), nodes_(nodes), phase_(phase), dealt_(nodes.count(), 0) {}

void ApplicationMaster::hear(const Message& message, Messenger& messages) {
  if (message.word == Word::stop_all) stopped_ = true;
  if (message.word == Word::node_done) ++done_;
  if (message.word != Word::node_asks) return;
  const std::uint64_t node = nodes_.node_of(message.from);
  const bool fixed = options_.dealing == Dealing::fixed;
  const NodeTasks tasks = fixed ? fixed_tasks(options_.tasks, phase_, node, nodes_.count())
                                : NodeTasks{phase_ * options_.tasks, 1, options_.tasks};
  std::uint64_t& dealt = fixed ? dealt_[node] : dealt_of_all_;
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < message.numbers[0] && dealt < tasks.count && !stopped_; ++i) {
    numbers.push_back(dealt);
    numbers.push_back(tasks[dealt]);
    ++dealt;
  }
  messages.send(message.from, Word::tasks, numbers);
}

void NodeMaster::hear(const Message& message, Messenger& messages) {
  switch (message.word) {
    case Word::worker_asks: waiting_.push_back(message.from); break;
    case Word::tasks:
      asked_ = false;
      if (message.numbers.empty()) no_more_ = true;
      for (std::size_t i = 0; i < message.numbers.size() && !no_more_; i += 2) {
        tasks_.emplace_back(message.numbers[i], message.numbers[i + 1]);
      }
      break;
    case Word::stop_node:
      tasks_.clear();
      no_more_ = must_stop_ = true;
      break;
    case Word::writer_done: writer_done_ = true; break;
    default: break;
  }
  serve(messages);
}

void NodeMaster::serve(Messenger& messages) {
  if (must_stop_ && !asked_) {
    messages.send(kApplicationMaster, Word::stop_all);
    must_stop_ = false;
  }
  while (!waiting_.empty() && !tasks_.empty()) {
    messages.send(waiting_.front(), Word::task, {tasks_.front().first, tasks_.front().second});
    waiting_.pop_front();
    tasks_.pop_front();
  }
  while (!waiting_.empty() && no_more_) {
    messages.send(waiting_.front(), Word::task);
    waiting_.pop_front();
  }
  if (!waiting_.empty() && !asked_) {
    messages.send(kApplicationMaster, Word::node_asks, {node_.workers()});
    asked_ = true;
  }
  if (writer_done_ && !asked_ && !done_) {
    messages.send(kApplicationMaster, Word::node_done);
    done_ = true;
  }
}

}  // namespace weft::kernels::blast
