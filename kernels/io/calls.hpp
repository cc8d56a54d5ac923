// kernels/io/calls.hpp - what a program asks of its files: how often it opens, seeks, writes and closes, and how much
// it writes at a time.
//
// A plan says it beforehand, a run counts it; both are this type, so they can be compared. Pure data.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>

namespace weft::kernels {

struct Calls {
  std::uint64_t opens = 0;
  std::uint64_t closes = 0;
  std::uint64_t seeks = 0;
  std::map<std::uint64_t, std::uint64_t> write_sizes;  // bytes of a write, and how many there are of it
  // Writes of which only the sum is known (Weft's series counts so).
  std::uint64_t unsized_writes = 0;
  std::uint64_t unsized_bytes = 0;

  void write(std::uint64_t bytes, std::uint64_t times = 1) {
    if (times > 0) write_sizes[bytes] += times;
  }
  std::uint64_t writes() const;
  std::uint64_t bytes() const;

  Calls& operator+=(const Calls& other);
  // The same calls made `times` times.
  Calls operator*(std::uint64_t times) const;
  bool operator==(const Calls&) const = default;
};

// opens, closes, seeks, writes, bytes, write_sizes{"SIZE": COUNT}.
nlohmann::json to_json(const Calls& calls);

// Counts writes of one thread as they are made. Equal sizes in a row, which is what small writes are, cost an addition.
class WriteCounter {
 public:
  void count(std::uint64_t bytes) {
    if (bytes != size_) {
      calls_.write(size_, times_);
      size_ = bytes;
      times_ = 0;
    }
    ++times_;
  }
  // All that were counted; counting begins anew.
  Calls take();

 private:
  Calls calls_;
  std::uint64_t size_ = 0;
  std::uint64_t times_ = 0;
};

}  // namespace weft::kernels
