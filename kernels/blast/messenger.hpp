// kernels/blast/messenger.hpp - what masters, workers and writers say to each other.
//
// A message goes to a role on a rank; where a rank has several roles, they write to each other the same way. Sending
// may wait until the other side looks. That cannot lock up: who asks has one question open and says nothing to the
// other side until the answer is there, and a writer is never written to by whom it writes to. Not collective; one
// thread.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace weft::kernels::blast {

enum class Word : std::uint8_t {
  worker_asks,  // worker -> node master
  task,         // node master -> worker: {place, task}; nothing: there are no more
  result,       // worker -> writer: {place}, text
  worker_done,  // worker -> writer
  node_asks,    // node master -> application master: {how many}
  tasks,        // application master -> node master: {place, task, place, task, ..}; nothing: there are no more
  stop_node,    // a worker or writer that failed -> its node master: deal no more
  stop_all,     // node master -> application master: the same
  writer_done,  // writer -> node master: the file is closed
  node_done,    // node master -> application master
};

struct Message {
  Word word{};
  std::uint64_t from = 0;  // rank
  std::vector<std::uint64_t> numbers{};
  std::string text{};
};

class Messenger {
 public:
  explicit Messenger(MPI_Comm comm);

  void send(std::uint64_t to, Word word, const std::vector<std::uint64_t>& numbers = {}, std::string text = {});
  // The next message: other ranks' come first, so that a rank that works for itself does not keep them waiting. Waits.
  Message receive();

 private:
  Message receive_from_others(const MPI_Status& status);

  MPI_Comm comm_;
  std::uint64_t rank_ = 0;
  std::deque<Message> own_;
};

}  // namespace weft::kernels::blast
