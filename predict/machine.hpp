// predict/machine.hpp - a store's profile as a model's numbers: what a request and a call cost, alone and among others.
//
// A request has two costs. Alone it takes the time that one rank measured. Among others it takes a share of the store:
// its bytes over the most that all ranks together were seen to move in requests of that size. Between two sizes that
// were measured both costs are interpolated on logarithmic scales; beyond the largest the bytes a second stay. Whole
// pages and other sizes have curves of their own, as some file systems read a page before they write a part of it.
// Reads come from the store, and in the best case from the memory of the clients.
#pragma once

#include <cstdint>
#include <string>

#include "stores/store_profile.hpp"

namespace weft::predict {

// Which of its measured speeds a store shows.
enum class Mood : std::uint8_t { best, middle, worst };

struct Cluster {
  std::uint64_t ranks_per_node = 0;  // 0: one node has all of them
  double link_bytes_per_s = 12.5e9;  // of a node, to others
  double link_latency_s = 2e-6;
};

struct Cost {
  double alone_s = 0;  // of one, where nobody else asks
  double share_s = 0;  // seconds in which the store does nothing else
};

class Machine {
 public:
  // Throws Error(data) where the profile has no writes of one rank.
  Machine(const stores::StoreProfile& profile, const Cluster& cluster, Mood mood);

  Cost request(stores::Access access, stores::Sharing sharing, std::uint64_t bytes) const;
  // Of bytes that the client has in its memory. 0 where the profile has none.
  double memory_read_s(std::uint64_t bytes) const;
  // Of a call with so many ranks at once; {0, 0} for one that the profile does not have.
  Cost call(const std::string& wanted, std::uint64_t ranks) const;
  bool has_call(const std::string& name) const;
  // Of what one rank has written. Its share is that of several that sync at once.
  Cost sync(std::uint64_t bytes, bool in_records) const;
  double link_s(std::uint64_t bytes) const;
  double meet_s(std::uint64_t ranks) const;
  std::uint64_t nodes(std::uint64_t ranks) const;
  const Cluster& cluster() const { return cluster_; }

 private:
  double speed(const stores::RequestCell& cell) const;
  bool has_direct(std::uint64_t bytes) const;

  const stores::StoreProfile& profile_;
  Cluster cluster_;
  Mood mood_;
  bool reads_of_memory_ = false;  // the profile has some
};

}  // namespace weft::predict
