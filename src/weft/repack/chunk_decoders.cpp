#include "weft/repack/chunk_decoders.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace weft::repack {

class ChunkDecoders::Impl {
 public:
  Impl(const std::vector<storage::Filter>& filters, std::uint64_t chunk_bytes, unsigned threads)
      : chunk_bytes_(chunk_bytes) {
    std::vector<storage::ChunkCoder> coders;  // all of them before any thread: they may refuse
    for (unsigned i = 0; i < threads; ++i) coders.emplace_back(filters);
    for (storage::ChunkCoder& coder : coders) {
      threads_.emplace_back([this, coder = std::move(coder)]() mutable { work(coder); });
    }
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  struct Job {
    std::vector<std::byte> encoded;
    std::uint32_t skipped;
    Use use;
    Fail fail;
  };

  void add(Job job) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return jobs_.size() < threads_.size(); });
    jobs_.push_back(std::move(job));
    changed_.notify_all();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return jobs_.empty() && busy_ == 0; });
  }

 private:
  void work(storage::ChunkCoder& coder) {
    std::vector<std::byte> chunk;
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return ending_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      const Job job = std::move(jobs_.front());
      jobs_.pop_front();
      ++busy_;
      changed_.notify_all();
      lock.unlock();
      try {
        chunk.resize(chunk_bytes_);
        coder.decode(job.encoded, job.skipped, chunk);
        job.use(chunk);
      } catch (const Error& error) {
        job.fail(error);
      } catch (const std::exception& error) {
        job.fail(Error(ErrorKind::system, "", error.what()));
      }
      lock.lock();
      --busy_;
      changed_.notify_all();
    }
  }

  std::uint64_t chunk_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::size_t busy_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

ChunkDecoders::ChunkDecoders(const std::vector<storage::Filter>& filters, std::uint64_t chunk_bytes, unsigned threads)
    : impl_(std::make_unique<Impl>(filters, chunk_bytes, std::max(1U, threads))) {}
ChunkDecoders::~ChunkDecoders() = default;

void ChunkDecoders::decode(std::vector<std::byte> encoded, std::uint32_t skipped, Use use, Fail fail) {
  impl_->add({std::move(encoded), skipped, std::move(use), std::move(fail)});
}

void ChunkDecoders::wait() { impl_->wait(); }

}  // namespace weft::repack
