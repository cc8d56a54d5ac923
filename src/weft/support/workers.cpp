#include "weft/support/workers.hpp"

#include <utility>

namespace weft {

Workers::Workers(int count) {
  for (int worker = 0; worker < count; ++worker) threads_.emplace_back([this, worker] { work(worker); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    tasks_.clear();
  }
  some_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::submit(Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  some_.notify_one();
}

void Workers::work(int worker) {
  std::unique_lock lock(mutex_);
  while (true) {
    some_.wait(lock, [&] { return ending_ || !tasks_.empty(); });
    if (ending_) return;
    const Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task(worker);
    lock.lock();
  }
}

}  // namespace weft
