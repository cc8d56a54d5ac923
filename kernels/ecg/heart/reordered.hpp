// kernels/ecg/heart/reordered.hpp - values in another order, for renumbering meshes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace weft::kernels::ecg {

// values[i] becomes what values[order[i]] was; what `order` leaves out is dropped.
template <typename T>
void take_in_order(std::vector<T>& values, const std::vector<std::uint32_t>& order) {
  std::vector<T> taken;
  taken.reserve(order.size());
  for (const std::uint32_t from : order) taken.push_back(values[from]);
  values = std::move(taken);
}

}  // namespace weft::kernels::ecg
