#include "weft/storage/wrapped_stores.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "weft/support/error.hpp"

namespace weft::storage {

namespace {

template <typename Piece>
std::uint64_t total(std::span<const Piece> pieces) {
  std::uint64_t bytes = 0;
  for (const Piece& piece : pieces) bytes += piece.size();
  return bytes;
}

// Passes everything on; the three below change what they are about.
class WrappedStore : public ByteStore {
 public:
  explicit WrappedStore(std::unique_ptr<ByteStore> inner) : inner_(std::move(inner)) {}
  const std::string& name() const override { return inner_->name(); }
  std::uint64_t size() override { return inner_->size(); }
  void read_at(std::uint64_t offset, std::span<const MutableBytes> pieces) override { inner_->read_at(offset, pieces); }
  void write_at(std::uint64_t offset, std::span<const Bytes> pieces) override { inner_->write_at(offset, pieces); }
  void reserve(std::uint64_t offset, std::uint64_t bytes) override { inner_->reserve(offset, bytes); }
  void start_writeback(std::uint64_t offset, std::uint64_t bytes) override { inner_->start_writeback(offset, bytes); }
  void sync() override { inner_->sync(); }
  void close() override { inner_->close(); }

 private:
  std::unique_ptr<ByteStore> inner_;
};

class CountingStore final : public WrappedStore {
 public:
  CountingStore(std::unique_ptr<ByteStore> inner, std::shared_ptr<RequestCounters> counters)
      : WrappedStore(std::move(inner)), counters_(std::move(counters)) {}
  void read_at(std::uint64_t offset, std::span<const MutableBytes> pieces) override {
    ++counters_->reads;
    counters_->bytes_read += total(pieces);
    WrappedStore::read_at(offset, pieces);
  }
  void write_at(std::uint64_t offset, std::span<const Bytes> pieces) override {
    ++counters_->writes;
    counters_->bytes_written += total(pieces);
    WrappedStore::write_at(offset, pieces);
  }
  void sync() override {
    ++counters_->syncs;
    WrappedStore::sync();
  }

 private:
  std::shared_ptr<RequestCounters> counters_;
};

class DelayingStore final : public WrappedStore {
 public:
  DelayingStore(std::unique_ptr<ByteStore> inner, double latency_s, double bandwidth)
      : WrappedStore(std::move(inner)), latency_s_(latency_s), bandwidth_(bandwidth) {}
  void read_at(std::uint64_t offset, std::span<const MutableBytes> pieces) override {
    wait(total(pieces));
    WrappedStore::read_at(offset, pieces);
  }
  void write_at(std::uint64_t offset, std::span<const Bytes> pieces) override {
    wait(total(pieces));
    WrappedStore::write_at(offset, pieces);
  }
  void sync() override {
    wait(0);
    WrappedStore::sync();
  }

 private:
  void wait(std::uint64_t bytes) const {
    const double seconds = latency_s_ + (bandwidth_ > 0 ? static_cast<double>(bytes) / bandwidth_ : 0.0);
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }
  double latency_s_;
  double bandwidth_;
};

class FailingStore final : public WrappedStore {
 public:
  FailingStore(std::unique_ptr<ByteStore> inner, std::function<int(std::uint64_t, std::uint64_t)> fails)
      : WrappedStore(std::move(inner)), fails_(std::move(fails)) {}
  void write_at(std::uint64_t offset, std::span<const Bytes> pieces) override {
    const std::uint64_t number = writes_++;
    int broken = broken_;
    if (broken == 0) broken = fails_(number, total(pieces));
    if (broken != 0) {
      broken_ = broken;
      throw system_error(name(), "writing failed", broken);
    }
    WrappedStore::write_at(offset, pieces);
  }

 private:
  std::function<int(std::uint64_t, std::uint64_t)> fails_;
  std::atomic<std::uint64_t> writes_{0};
  std::atomic<int> broken_{0};
};

}  // namespace

std::unique_ptr<ByteStore> counting_store(std::unique_ptr<ByteStore> inner, std::shared_ptr<RequestCounters> counters) {
  return std::make_unique<CountingStore>(std::move(inner), std::move(counters));
}

std::unique_ptr<ByteStore> delaying_store(std::unique_ptr<ByteStore> inner, double latency_s, double bandwidth) {
  return std::make_unique<DelayingStore>(std::move(inner), latency_s, bandwidth);
}

std::unique_ptr<ByteStore> failing_store(std::unique_ptr<ByteStore> inner,
                                         std::function<int(std::uint64_t, std::uint64_t)> fails) {
  return std::make_unique<FailingStore>(std::move(inner), std::move(fails));
}

}  // namespace weft::storage
