#include "kernels/blast/hands.hpp"

#include <utility>

namespace weft::kernels::blast {

void Worker::hear(const Message& task, Messenger& messages) {
  if (task.numbers.empty()) {
    done_ = true;
    messages.send(node_.writer(), Word::worker_done);
    return;
  }
  std::string text;
  try {
    append_result(text, spec_, task.numbers[1]);
  } catch (...) {
    failure_ = std::current_exception();
  }
  if (failure_) {
    messages.send(node_.master(), Word::stop_node);
  } else {
    messages.send(node_.writer(), Word::result, {task.numbers[0]}, std::move(text));
  }
  messages.send(node_.master(), Word::worker_asks);
}

Writer::Writer(const BlastNode& node, const BlastOptions& options, const std::string& path, FileAccount account,
               std::uint64_t expected)
    : node_(node), in_order_(options.dealing == Dealing::fixed) {
  attempt([&] {
    file_ = options.strategy == BlastStrategy::immediate ? immediate_file(path, account, codec_of(options))
                                                         : two_stage_file(path, account, options, expected);
  });
}

template <typename Action>
void Writer::attempt(const Action& action) {
  if (failure_) return;
  try {
    action();
  } catch (...) {
    failure_ = std::current_exception();
    early_.clear();
  }
}

void Writer::say_stop(Messenger& messages) {
  if (!failure_ || said_stop_) return;
  messages.send(node_.master(), Word::stop_node);
  said_stop_ = true;
}

void Writer::take(const std::string& text) {
  file_->take(text);
  text_bytes_ += text.size();
}

void Writer::hear(Message message, Messenger& messages) {
  if (message.word == Word::worker_done) {
    if (++workers_done_ < node_.workers()) return;
    attempt([&] { file_->close(); });
    done_ = true;
    messages.send(node_.master(), Word::writer_done);
    return;
  }
  attempt([&] {
    if (!in_order_) {
      take(message.text);
      return;
    }
    early_.emplace(message.numbers[0], std::move(message.text));
    for (auto first = early_.begin(); first != early_.end() && first->first == next_; first = early_.begin()) {
      take(first->second);
      early_.erase(first);
      ++next_;
    }
  });
  say_stop(messages);
}

}  // namespace weft::kernels::blast
