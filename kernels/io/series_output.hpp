// kernels/io/series_output.hpp - strategy `series`: a kernel's steps through Weft's own writer, every call counted and
// timed.
//
// The application's calls are one open and one close of the series on a rank, and a write for each put(), of the bytes
// that the rank owns. What reaches the system is counted by the writer: its positioned writes of values, of commit
// slots and of the mesh, but not what HDF5 does on rank 0 while it makes the file.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/io/kernel_run.hpp"
#include "kernels/io/stdio_file.hpp"
#include "weft/series/mpi_series.hpp"

namespace weft::kernels {

// What a store of Weft's has asked of the system joins a kernel's account.
void add_calls(const storage::SyscallCounters& seen, Calls& system);

class SeriesOutput {
 public:
  // The writer that `open` makes, which is timed. Collective; throws what `open` throws.
  SeriesOutput(FileAccount account, const std::function<SeriesWriter()>& open);
  // Makes the file. Of the options it takes the alignment and, from the hints, the stripes. Usually nothing is synced,
  // as in the application's own ways, which the series is compared with. Collective; throws agreed errors.
  SeriesOutput(const MpiCommunicator& comm, const std::string& path, SeriesSpec spec, const RunOptions& options,
               FileAccount account, Sync sync = Sync::none);

  // Not collective. A rank that owns nothing of the field has nothing to put.
  template <typename T>
  void put(std::string_view field, std::span<const T> values) {
    put_bytes(field, data_type_of<T>(), std::as_bytes(values));
  }
  void put_bytes(std::string_view field, DataType type, std::span<const std::byte> values);
  // Collective.
  void end_step(double time);
  // Collective.
  void close();

  SeriesWriter& writer() { return *writer_; }

 private:
  FileAccount account_;
  std::unique_ptr<SeriesWriter> writer_;
};

}  // namespace weft::kernels
