// predict/rates.hpp - how fast one rank works by itself.
#pragma once

#include "stores/store_profile.hpp"

namespace weft::predict {

// Bytes a second.
struct Rates {
  double copy = 5e9;        // in memory that is at hand
  double fresh_copy = 2e9;  // into memory that the system has not given before
  double format = 7e7;      // of text, made of numbers by printf
  double results = 2e8;     // of text that a worker of blast makes
  double zlib = 8e7;        // of such text, compressed at level 6
  double libdeflate = 1.2e8;
};

// Those of a profile; what it does not have stays as above.
Rates rates_of(const stores::StoreProfile& profile);

}  // namespace weft::predict
