// kernels/blast/writer_report.hpp - what compressing and writing took each writer: mean and standard deviation, as the
// paper's Table 2 tells them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "weft/support/mpi_communicator.hpp"

namespace weft::kernels::blast {

// One rank's; no bytes where it wrote nothing.
struct WriterWork {
  std::uint64_t text_bytes = 0;  // before compression
  std::uint64_t file_bytes = 0;
  double compress_seconds = 0;
  double write_seconds = 0;
};

struct Spread {
  double mean = 0;
  double sd = 0;  // of the sample (n - 1); 0 for one value
};
Spread spread_of(const std::vector<double>& values);

// text_bytes, ratio, writers{count, compress{seconds{mean, sd}, bandwidth{mean, sd}}, write{..}}, about: the same on
// all ranks. Collective.
nlohmann::json writer_report(MpiCommunicator& comm, const WriterWork& mine);

}  // namespace weft::kernels::blast
