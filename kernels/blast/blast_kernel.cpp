#include "kernels/blast/blast_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kernels/blast/hands.hpp"
#include "kernels/blast/masters.hpp"
#include "kernels/blast/writer_report.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::blast {

namespace {

// The lengths of all blocks, each made by one rank; none where they are too much even so. Collective.
std::vector<std::uint64_t> shared_lengths(MpiCommunicator& comm, const RunOptions& run, const BlastOptions& options) {
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  const std::uint64_t nodes = blast_nodes(options, ranks).count();
  if (blast_totals(options, run, nodes).text_bytes / ranks > kMadeBytes) return {};
  std::vector<std::uint64_t> lengths;
  agree_on(comm, [&] { lengths = made_lengths(options, run, nodes, static_cast<std::uint64_t>(comm.rank()), ranks); });
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, lengths.data(), static_cast<int>(lengths.size()), MPI_UINT64_T, MPI_SUM,
                          comm.handle()),
            "MPI_Allreduce");
  return lengths;
}

// One rank's part in a phase, whatever roles it has.
class Part {
 public:
  Part(const BlastOptions& options, const RunOptions& run, const BlastNodes& nodes, std::uint64_t rank,
       std::uint64_t phase, Done& done)
      : node_(nodes[nodes.node_of(rank)]) {
    if (rank == 0) application_master_.emplace(options, nodes, phase);
    if (rank == node_.master()) master_.emplace(node_);
    if (node_.has_worker(rank)) worker_.emplace(node_, result_spec(options, run));
    if (rank != node_.writer()) return;
    const std::string path = run.out + "/" + node_file_name(nodes.node_of(rank), phase);
    const std::uint64_t most = options.tasks * result_spec(options, run).most_bytes();
    writer_.emplace(node_, options, path, FileAccount{done.app, done.system, done.times}, most);
  }

  // To the end of the phase. Throws what failed here. Returns the text that was written here.
  std::uint64_t play(Messenger& messages) {
    if (writer_) writer_->begin(messages);
    if (worker_) worker_->begin(messages);
    while (!is_done()) hear(messages.receive(), messages);
    for (const std::exception_ptr& failure : {writer_ ? writer_->failure() : nullptr,  //
                                              worker_ ? worker_->failure() : nullptr}) {
      if (failure) std::rethrow_exception(failure);
    }
    return writer_ ? writer_->text_bytes() : 0;
  }

 private:
  bool is_done() const {
    return (!application_master_ || application_master_->is_done()) && (!master_ || master_->is_done()) &&
           (!worker_ || worker_->is_done()) && (!writer_ || writer_->is_done());
  }

  void hear(Message message, Messenger& messages) {
    switch (message.word) {
      case Word::task: worker_->hear(message, messages); break;
      case Word::result:
      case Word::worker_done: writer_->hear(std::move(message), messages); break;
      case Word::worker_asks:
      case Word::tasks:
      case Word::stop_node:
      case Word::writer_done: master_->hear(message, messages); break;
      case Word::node_asks:
      case Word::stop_all:
      case Word::node_done: application_master_->hear(message, messages); break;
    }
  }

  BlastNode node_;
  std::optional<ApplicationMaster> application_master_;
  std::optional<NodeMaster> master_;
  std::optional<Worker> worker_;
  std::optional<Writer> writer_;
};

}  // namespace

nlohmann::ordered_json run_blast(MpiCommunicator& comm, const RunOptions& run, const BlastOptions& options) {
  try {
    check_blast(options, run);
  } catch (const Error& error) {
    throw error.agreed();  // all ranks have the same options
  }
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  const auto rank = static_cast<std::uint64_t>(comm.rank());
  const BlastNodes nodes = blast_nodes(options, ranks);
  const KernelPlan plan = plan_blast(options, run, ranks, shared_lengths(comm, run, options));

  WriterWork work;
  Messenger messages(comm.handle());
  const KernelBody body{.prepare = [] {},
                        .output =
                            [&](std::uint64_t phase, Done& done) {
                              const std::uint64_t before = done.app.bytes();
                              Part part(options, run, nodes, rank, phase, done);
                              work.text_bytes += part.play(messages);
                              done.bytes += done.app.bytes() - before;
                              work.file_bytes = done.bytes;
                              work.compress_seconds = done.times.compress;
                              work.write_seconds = done.times.write;
                            },
                        .afterwards = [&] { return writer_report(comm, work); }};
  return run_kernel(comm, run, plan, body);
}

}  // namespace weft::kernels::blast
