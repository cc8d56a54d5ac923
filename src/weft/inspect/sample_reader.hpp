// weft/inspect/sample_reader.hpp - reads boxes of one dataset through either reader, and counts what that took.
//
// A reader of samples, for measuring: what it reads is dropped. Both readers read the elements as the file has them, so
// neither is charged for turning one number format into another. Not collective; for one thread.
#pragma once

#include <hdf5.h>

#include <memory>
#include <string>
#include <vector>

#include "weft/inspect/arrangement.hpp"
#include "weft/inspect/read_price.hpp"
#include "weft/storage/byte_store.hpp"
#include "weft/storage/chunk_places.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/wrapped_stores.hpp"

namespace weft::inspect {

struct Taken {
  Price price;
  double seconds = 0;
  bool counted = true;  // false where the system does not count reads (no /proc): then the price is 0
};

class SampleReader {
 public:
  // `facts` and `known` outlive this. Throws as opening the file and the dataset does.
  SampleReader(const std::string& path, const survey::DatasetFacts& facts, const survey::KnownAxes& known,
               const Arrangement& stored);

  // One box of the dataset as seen, by H5Dread; requests and bytes are the system's. The index of chunks has been read
  // before, chunks have not.
  Taken through_hdf5(const Box& box);

  // The same by Weft's reader; requests and bytes are those it makes. Where chunks are filtered they are decoded on
  // every core. Throws Error(data) where a chunk was never written, Weft cannot decode it without HDF5, or HDF5 takes
  // seconds to say where the chunks lie.
  Taken through_weft(const Box& box, const layout::AccessCost& access);

 private:
  storage::Handle opened() const;
  storage::Handle selected(hid_t dataset, const Box& box) const;
  void find_chunks(hid_t dataset, const std::vector<std::uint64_t>& chunks);
  void read_pieces(hid_t dataset, const std::vector<Box>& boxes, const layout::AccessCost& access);
  void read_chunks(const std::vector<std::uint64_t>& chunks);
  std::vector<std::uint64_t> chunks_of(const std::vector<Box>& boxes) const;
  std::byte* destination(std::uint64_t bytes);

  std::string path_;
  const survey::DatasetFacts& facts_;
  const survey::KnownAxes& known_;
  const Arrangement& stored_;
  storage::Handle file_;
  std::shared_ptr<storage::RequestCounters> counters_ = std::make_shared<storage::RequestCounters>();
  std::unique_ptr<storage::ByteStore> bytes_;
  std::unique_ptr<storage::ChunkPlaces> places_;
  std::unique_ptr<std::byte[]> memory_;
  std::uint64_t memory_bytes_ = 0;
};

}  // namespace weft::inspect
