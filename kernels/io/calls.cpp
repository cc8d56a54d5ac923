#include "kernels/io/calls.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace weft::kernels {

std::uint64_t Calls::writes() const {
  std::uint64_t writes = unsized_writes;
  for (const auto& [size, times] : write_sizes) writes += times;
  return writes;
}

std::uint64_t Calls::bytes() const {
  std::uint64_t bytes = unsized_bytes;
  for (const auto& [size, times] : write_sizes) bytes += size * times;
  return bytes;
}

Calls& Calls::operator+=(const Calls& other) {
  opens += other.opens;
  closes += other.closes;
  seeks += other.seeks;
  unsized_writes += other.unsized_writes;
  unsized_bytes += other.unsized_bytes;
  for (const auto& [size, times] : other.write_sizes) write(size, times);
  return *this;
}

Calls Calls::operator*(std::uint64_t times) const {
  Calls product{opens * times, closes * times, seeks * times, {}, unsized_writes * times, unsized_bytes * times};
  for (const auto& [size, count] : write_sizes) product.write(size, count * times);
  return product;
}

nlohmann::json to_json(const Calls& calls) {
  nlohmann::json sizes = nlohmann::json::object();
  for (const auto& [size, times] : calls.write_sizes) sizes[std::to_string(size)] = times;
  return {{"opens", calls.opens},     {"closes", calls.closes}, {"seeks", calls.seeks},
          {"writes", calls.writes()}, {"bytes", calls.bytes()}, {"write_sizes", sizes}};
}

Calls WriteCounter::take() {
  calls_.write(size_, times_);
  times_ = 0;
  return std::exchange(calls_, {});
}

}  // namespace weft::kernels
