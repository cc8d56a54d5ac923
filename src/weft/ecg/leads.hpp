// weft/ecg/leads.hpp - the twelve leads of the standard electrocardiogram, from the potentials of nine electrodes.
//
// Limb leads: Einthoven 1908. Central terminal: Wilson et al. 1934 (doi 10.1016/S0002-8703(34)90093-4). Augmented
// limb leads: Goldberger 1942. As in the standard of the AHA (Kligfield et al. 2007, doi
// 10.1161/CIRCULATIONAHA.106.180200).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace weft::ecg {

inline constexpr std::size_t kElectrodes = 9;
inline constexpr std::array<std::string_view, kElectrodes> kElectrodeNames{"RA", "LA", "LL", "V1", "V2",
                                                                           "V3", "V4", "V5", "V6"};
inline constexpr std::size_t kLeads = 12;
inline constexpr std::array<std::string_view, kLeads> kLeadNames{"I",  "II", "III", "aVR", "aVL", "aVF",
                                                                 "V1", "V2", "V3",  "V4",  "V5",  "V6"};

// In the order of kElectrodeNames; the leads in that of kLeadNames, in the same unit. III is II - I to the bit.
std::array<double, kLeads> leads_of(const std::array<double, kElectrodes>& potentials);

}  // namespace weft::ecg
