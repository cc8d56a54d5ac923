// predict/rates.hpp - how fast one rank works by itself.
#pragma once

#include <cstdint>

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
  // The share of what is written behind a rank that takes nothing of the rank's own time.
  double behind = 1;
};

// Those of a profile; what it does not have stays as above.
Rates rates_of(const stores::StoreProfile& profile, std::uint64_t node_ranks);

// Whether writes go to a page cache of this machine: then they are work of its cores.
bool is_local(const stores::StoreProfile& profile);

// What printf gathers for a write there: a block of the file system.
std::uint64_t stdio_bytes(const stores::StoreProfile& profile);

}  // namespace weft::predict
