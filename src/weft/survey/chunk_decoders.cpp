#include "weft/survey/chunk_decoders.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "weft/support/workers.hpp"

namespace weft::survey {

class ChunkDecoders::Impl {
 public:
  Impl(const std::vector<storage::Filter>& filters, std::uint64_t chunk_bytes, unsigned threads)
      : chunks_(threads, std::vector<std::byte>(chunk_bytes)), workers_(static_cast<int>(threads)) {
    for (unsigned i = 0; i < threads; ++i) coders_.emplace_back(filters);
  }

  struct Job {
    std::vector<std::byte> encoded;
    std::uint32_t skipped;
    Use use;
    Fail fail;
  };

  void add(const std::shared_ptr<const Job>& job) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return pending_ < 2 * coders_.size(); });
    ++pending_;
    workers_.submit([this, job](int worker) {
      work(*job, static_cast<std::size_t>(worker));
      const std::lock_guard done(mutex_);
      --pending_;
      room_.notify_one();  // of many threads that read, one can go on: to wake all took more time than to decode
      if (pending_ == 0) idle_.notify_all();
    });
  }

  void wait() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return pending_ == 0; });
  }

 private:
  void work(const Job& job, std::size_t worker) {
    try {
      coders_[worker].decode(job.encoded, job.skipped, chunks_[worker]);
      job.use(chunks_[worker]);
    } catch (const Error& error) {
      job.fail(error);
    } catch (const std::exception& error) {
      job.fail(Error(ErrorKind::system, "", error.what()));
    }
  }

  std::vector<std::vector<std::byte>> chunks_;  // one a worker, as the coders
  std::vector<storage::ChunkCoder> coders_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable idle_;
  std::size_t pending_ = 0;  // waiting, or being worked on
  Workers workers_;          // ends first
};

ChunkDecoders::ChunkDecoders(const std::vector<storage::Filter>& filters, std::uint64_t chunk_bytes, unsigned threads)
    : impl_(std::make_unique<Impl>(filters, chunk_bytes, std::max(1U, threads))) {}
ChunkDecoders::~ChunkDecoders() = default;

void ChunkDecoders::decode(std::vector<std::byte> encoded, std::uint32_t skipped, Use use, Fail fail) {
  impl_->add(
      std::make_shared<const Impl::Job>(Impl::Job{std::move(encoded), skipped, std::move(use), std::move(fail)}));
}

void ChunkDecoders::wait() { impl_->wait(); }

}  // namespace weft::survey
