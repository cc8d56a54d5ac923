#include "weft/ecg/leads.hpp"

namespace weft::ecg {

std::array<double, kLeads> leads_of(const std::array<double, kElectrodes>& potentials) {
  const auto [right, left, leg, v1, v2, v3, v4, v5, v6] = potentials;
  const double one = left - right;
  const double two = leg - right;
  const double central = (right + left + leg) / 3;
  return {one,
          two,
          two - one,
          right - (left + leg) / 2,
          left - (right + leg) / 2,
          leg - (right + left) / 2,
          v1 - central,
          v2 - central,
          v3 - central,
          v4 - central,
          v5 - central,
          v6 - central};
}

}  // namespace weft::ecg
