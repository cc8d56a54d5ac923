// weft/exchange/messages.hpp - bytes for each rank, and plain values in them.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

namespace weft::exchange {

// messages[r] goes to rank r, or came from it (Communicator::all_to_all).
using Messages = std::vector<std::vector<std::byte>>;

template <typename T>
void append(std::vector<std::byte>& message, const T& value) {
  const auto* data = reinterpret_cast<const std::byte*>(&value);
  message.insert(message.end(), data, data + sizeof(T));
}

template <typename T>
std::vector<T> unpack(const std::vector<std::byte>& message) {
  std::vector<T> values(message.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), message.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace weft::exchange
