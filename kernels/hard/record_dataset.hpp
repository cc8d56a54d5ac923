// kernels/hard/record_dataset.hpp - a dataset of records that ranks write together, as HDF5's users do it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/io/mpi_file.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/support/mpi_communicator.hpp"

namespace weft::kernels::hard {

// /record: int64 of (records, ranks, words), contiguous. All calls are collective; they throw Error(system) on the rank
// that met it.
class RecordDataset {
 public:
  RecordDataset(const MpiCommunicator& comm, const std::string& path, std::uint64_t records, std::uint64_t words,
                const Hints& hints);
  // This rank's record.
  void write(std::uint64_t record, std::span<const std::int64_t> words);
  void close();

 private:
  std::string path_;
  std::uint64_t rank_;
  storage::Handle file_;
  storage::Handle dataset_;
  storage::Handle in_file_;
  storage::Handle in_memory_;
  storage::Handle transfer_;
};

}  // namespace weft::kernels::hard
