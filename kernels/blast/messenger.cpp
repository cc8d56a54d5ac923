#include "kernels/blast/messenger.hpp"

#include <cstring>
#include <utility>

#include "weft/support/mpi_communicator.hpp"

namespace weft::kernels::blast {

namespace {

// Numbers and text travel as one message, whose tag is its word: how many numbers, the numbers, the text.
std::string packed(const std::vector<std::uint64_t>& numbers, const std::string& text) {
  const std::uint64_t count = numbers.size();
  std::string bytes(sizeof(count) * (1 + count), '\0');
  std::memcpy(bytes.data(), &count, sizeof(count));
  if (count > 0) std::memcpy(bytes.data() + sizeof(count), numbers.data(), sizeof(count) * count);
  return bytes += text;
}

}  // namespace

Messenger::Messenger(MPI_Comm comm) : comm_(comm) {
  int rank = 0;
  MPI_Comm_rank(comm_, &rank);
  rank_ = static_cast<std::uint64_t>(rank);
}

void Messenger::send(std::uint64_t to, Word word, const std::vector<std::uint64_t>& numbers, std::string text) {
  if (to == rank_) {
    own_.push_back({word, rank_, numbers, std::move(text)});
    return;
  }
  const std::string bytes = packed(numbers, text);
  check_mpi(MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, static_cast<int>(to),
                     static_cast<int>(word), comm_),
            "MPI_Send");
}

Message Messenger::receive() {
  MPI_Status status;
  if (own_.empty()) {
    check_mpi(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &status), "MPI_Probe");
    return receive_from_others(status);
  }
  int waiting = 0;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &waiting, &status), "MPI_Iprobe");
  if (waiting != 0) return receive_from_others(status);
  Message message = std::move(own_.front());
  own_.pop_front();
  return message;
}

Message Messenger::receive_from_others(const MPI_Status& status) {
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  std::string packed(static_cast<std::size_t>(bytes), '\0');
  check_mpi(MPI_Recv(packed.data(), bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm_, MPI_STATUS_IGNORE),
            "MPI_Recv");
  Message message{static_cast<Word>(status.MPI_TAG), static_cast<std::uint64_t>(status.MPI_SOURCE)};
  std::uint64_t count = 0;
  std::memcpy(&count, packed.data(), sizeof(count));
  message.numbers.resize(count);
  if (count > 0) std::memcpy(message.numbers.data(), packed.data() + sizeof(count), sizeof(count) * count);
  message.text = packed.substr(sizeof(count) * (1 + count));
  return message;
}

}  // namespace weft::kernels::blast
