// weft/support/workers.hpp - threads that do tasks from one queue.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace weft {

class Workers {
 public:
  // A task is told which worker does it (0 to count - 1), for memory that each worker has of its own.
  using Task = std::function<void(int worker)>;

  explicit Workers(int count);
  // Drops what has not begun, and waits for what has.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int count() const { return static_cast<int>(threads_.size()); }
  // Tasks must not throw.
  void submit(Task task);

 private:
  void work(int worker);

  std::mutex mutex_;
  std::condition_variable some_;
  std::deque<Task> tasks_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace weft
