#include "weft/ecg/leads.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>

namespace weft::ecg {
namespace {

TEST(Leads, OfOneElectrodeAfterAnother) {
  const auto left = leads_of({0, 3, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(left, (std::array<double, kLeads>{3, 0, -3, -1.5, 3, -1.5, -1, -1, -1, -1, -1, -1}));
  const auto leg = leads_of({0, 0, 3, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(leg, (std::array<double, kLeads>{0, 3, 3, -1.5, -1.5, 3, -1, -1, -1, -1, -1, -1}));
  const auto fourth = leads_of({0, 0, 0, 0, 0, 0, 2, 0, 0});
  EXPECT_EQ(fourth, (std::array<double, kLeads>{0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0}));
}

TEST(Leads, WhatHoldsForAllOfThem) {
  std::mt19937 random(1);
  std::normal_distribution<double> any(0, 1);
  for (int i = 0; i < 1000; ++i) {
    std::array<double, kElectrodes> potentials{};
    for (double& potential : potentials) potential = any(random);
    const auto leads = leads_of(potentials);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(leads[2]), std::bit_cast<std::uint64_t>(leads[1] - leads[0])) << "Einthoven";
    EXPECT_NEAR(leads[3] + leads[4] + leads[5], 0, 1e-12) << "Goldberger";
    for (double& potential : potentials) potential += 7;
    const auto lifted = leads_of(potentials);
    for (std::size_t lead = 0; lead < kLeads; ++lead) EXPECT_NEAR(lifted[lead], leads[lead], 1e-12) << "no reference";
  }
}

}  // namespace
}  // namespace weft::ecg
