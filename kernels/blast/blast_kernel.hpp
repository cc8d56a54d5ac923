// kernels/blast/blast_kernel.hpp - a task-parallel search (BLAST): masters deal tasks, workers find hits, and one
// writer a node compresses their XML into the node's file.
//
// The hierarchy and its messages are real; only the search is not: a worker makes up its hits (blast_result.hpp). What
// is compared is how the writer fills its file (node_file.hpp). docs/kernels/blast.md has the format, byte by byte.
#pragma once

#include "kernels/blast/blast_options.hpp"
#include "kernels/blast/blast_plan.hpp"
#include "weft/support/mpi_communicator.hpp"

namespace weft::kernels::blast {

// Collective; throws agreed errors. The report adds text_bytes, ratio, and writers{count, compress{seconds{mean, sd},
// bandwidth{mean, sd}}, write{..}}: over the writers that had something to write. Bandwidths are bytes of text
// compressed, and of the file written, in a second. kernel_run.hpp has the rest.
nlohmann::ordered_json run_blast(MpiCommunicator& comm, const RunOptions& run, const BlastOptions& options);

}  // namespace weft::kernels::blast
