// weft/repack/chunk_sums.hpp - the checksums of the target chunks of a dataset, taken from their values as they pass.
//
// What is summed is what was read, before it is encoded and written: a later `weft verify` tells whether the file holds
// it. Chunks that nobody puts together have the sum of the fill value from the beginning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "weft/repack/repack.hpp"
#include "weft/support/communicator.hpp"
#include "weft/survey/checksums.hpp"

namespace weft::repack {

class ChunkSums {
 public:
  // `chunks`: the target's. `fill`: one element.
  ChunkSums(const survey::Pieces& chunks, const std::vector<std::byte>& fill);

  // One a chunk, to be set by whoever puts that chunk together.
  std::span<std::uint32_t> sums() { return sums_; }

  // Collective. Afterwards rank 0 has those of all ranks; no two have set the same.
  void gather(Communicator& comm);

 private:
  std::vector<std::uint32_t> of_fill_;
  std::vector<std::uint32_t> sums_;
};

// Stores the checksums of a complete new file, which is open: `tables` of what was laid out anew, summed as it passed;
// of what was copied along as it is in the copy. `check` throws to stop.
void store_sums(hid_t out, const RepackRequest& request, const RepackPlan& plan,
                const std::vector<survey::ChecksumTable>& tables, const std::function<void()>& check);

}  // namespace weft::repack
