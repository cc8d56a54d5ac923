#include "weft/support/mpi_communicator.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <map>
#include <thread>

namespace weft {

namespace {

constexpr int kTag = 0;  // the duplicate communicator is ours alone, so one tag is enough

// Waits for requests and leaves the core to others meanwhile: to the threads of this rank that filter and write, and
// on a full machine to the ranks that are waited for. An MPI library that waits by itself keeps its core busy.
// At first it leaves the core to whoever wants it just then, as a sleep ends 50 us and more too late: what the ranks
// agree on one after the other took 0.2 ms each, and messages that move in parts, which MPI does when it is asked,
// moved one part a sleep. Threads of a lower priority get the core when it sleeps. `bytes`: that are to move meanwhile.
void wait_patiently(std::span<MPI_Request> requests, std::uint64_t bytes = 0) {
  if (requests.empty()) return;
  constexpr int kTestsAtOnce = 200;  // some 20 us: most messages are there by then
  constexpr std::uint64_t kBytesPerMillisecond = 1'000'000;
  const auto begin = std::chrono::steady_clock::now();
  const auto yields = std::chrono::milliseconds(1 + bytes / kBytesPerMillisecond);
  constexpr auto kShortest = std::chrono::microseconds(20);
  constexpr auto kLongest = std::chrono::microseconds(200);
  auto sleep = kShortest;
  for (int tests = 0;; ++tests) {
    int done = 0;
    check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
              "MPI_Testall");
    if (done != 0) return;
    if (tests < kTestsAtOnce) continue;
    if (std::chrono::steady_clock::now() - begin < yields) {
      std::this_thread::yield();
      continue;
    }
    std::this_thread::sleep_for(sleep);
    sleep = std::min<std::chrono::microseconds>(2 * sleep, kLongest);
  }
}

}  // namespace

void check_mpi(int code, std::string_view call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw Error(ErrorKind::system, call, std::string_view(text.data(), static_cast<std::size_t>(length)));
}

MpiCommunicator::MpiCommunicator(MPI_Comm comm, std::uint64_t count_limit)
    : count_limit_(std::clamp<std::uint64_t>(count_limit, 1, 0x7fffffff)) {
  check_mpi(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

MpiCommunicator::~MpiCommunicator() {
  // Freeing is collective: a rank that unwinds alone might wait in it for ranks that never come, so it leaves the
  // communicator to MPI_Finalize. After that there is nothing left to free.
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
}

// Here and below, nothing is waited for alone: after SIGUSR1 (a batch system's warning) MPICH 4.0.2 would look for a
// launcher to ask who has failed.
//
// MPICH 4.0.2 compares MPI_UINT64_T as if it had a sign (seen with values of 2^63 and more), so values are moved to
// numbers with a sign that are in the same order.
std::uint64_t MpiCommunicator::extreme(std::uint64_t value, MPI_Op op) {
  if (size_ == 1) return value;
  constexpr std::uint64_t kTop = 1ULL << 63;
  const auto moved = static_cast<std::int64_t>(value ^ kTop);
  std::int64_t result = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(&moved, &result, 1, MPI_INT64_T, op, comm_, &request), "MPI_Iallreduce");
  wait_patiently(std::span(&request, 1));
  return static_cast<std::uint64_t>(result) ^ kTop;
}

std::uint64_t MpiCommunicator::min(std::uint64_t value) { return extreme(value, MPI_MIN); }
std::uint64_t MpiCommunicator::max(std::uint64_t value) { return extreme(value, MPI_MAX); }

std::uint64_t MpiCommunicator::sum(std::uint64_t value) {
  if (size_ == 1) return value;
  std::uint64_t result = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(&value, &result, 1, MPI_UINT64_T, MPI_SUM, comm_, &request), "MPI_Iallreduce");
  wait_patiently(std::span(&request, 1));
  return result;
}

std::uint64_t MpiCommunicator::sum_before(std::uint64_t value) {
  if (size_ == 1) return 0;
  std::uint64_t result = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iexscan(&value, &result, 1, MPI_UINT64_T, MPI_SUM, comm_, &request), "MPI_Iexscan");
  wait_patiently(std::span(&request, 1));
  return rank_ == 0 ? 0 : result;  // MPI leaves rank 0's result undefined
}

void MpiCommunicator::broadcast(std::vector<std::byte>& bytes, int root) {
  std::uint64_t length = bytes.size();
  check_mpi(MPI_Bcast(&length, 1, MPI_UINT64_T, root, comm_), "MPI_Bcast");
  bytes.resize(length);
  for (std::uint64_t at = 0; at < length; at += count_limit_) {
    const auto count = static_cast<int>(std::min(count_limit_, length - at));
    check_mpi(MPI_Bcast(bytes.data() + at, count, MPI_BYTE, root, comm_), "MPI_Bcast");
  }
}

std::vector<std::vector<std::byte>> MpiCommunicator::all_to_all(const std::vector<std::vector<std::byte>>& outgoing) {
  const auto ranks = static_cast<std::size_t>(size_);
  std::vector<std::uint64_t> sent(ranks);
  std::vector<std::uint64_t> received(ranks);
  for (std::size_t r = 0; r < ranks; ++r) sent[r] = outgoing[r].size();
  check_mpi(MPI_Alltoall(sent.data(), 1, MPI_UINT64_T, received.data(), 1, MPI_UINT64_T, comm_), "MPI_Alltoall");

  std::vector<std::vector<std::byte>> result(ranks);
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r == static_cast<std::size_t>(rank_)) {
      result[r] = outgoing[r];
      continue;
    }
    result[r].resize(received[r]);
    if (sent[r] > 0) out.push_back({static_cast<int>(r), outgoing[r]});
    if (received[r] > 0) in.push_back({static_cast<int>(r), result[r]});
  }
  exchange(out, in);
  return result;
}

std::vector<std::uint64_t> MpiCommunicator::nodes() {
  if (size_ == 1) return {0};
  auto mine = static_cast<std::uint64_t>(rank_);
  const char* said = std::getenv("WEFT_RANKS_PER_NODE");
  const std::uint64_t per_node = said != nullptr ? std::strtoull(said, nullptr, 10) : 0;
  if (per_node > 0) {
    mine /= per_node;
  } else {
    MPI_Comm node = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
    const int shared = MPI_Bcast(&mine, 1, MPI_UINT64_T, 0, node);  // the first rank's number
    MPI_Comm_free(&node);
    check_mpi(shared, "MPI_Bcast");
  }
  std::vector<std::uint64_t> all(static_cast<std::size_t>(size_));
  check_mpi(MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, comm_), "MPI_Allgather");
  return all;
}

namespace {

// The pieces for one peer, in their order: as one message where they are short, as a message costs more than its bytes
// then; long ones each by themselves, as MPI moves them faster from one place. MPI counts in int, so beyond `limit` it
// is several messages: MPI keeps those of one pair and tag in order, and both sides cut the same length in the same
// places.
template <typename Piece, typename Start>
void post_together(const std::vector<const Piece*>& pieces, std::uint64_t limit, const Start& start) {
  constexpr std::uint64_t kShort = 256ULL << 10;
  std::uint64_t left = 0;
  for (const Piece* piece : pieces) left += piece->bytes.size();
  if (pieces.size() > 1 && left > kShort) {
    for (const Piece* piece : pieces) post_together<Piece>({piece}, limit, start);
    return;
  }
  auto piece = pieces.begin();
  std::uint64_t inside = 0;  // of the piece
  while (left > 0) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> places;
    for (std::uint64_t room = std::min(limit, left); room > 0;) {
      const std::uint64_t part = std::min<std::uint64_t>(room, (*piece)->bytes.size() - inside);
      if (part > 0) {
        MPI_Aint place = 0;
        check_mpi(MPI_Get_address((*piece)->bytes.data() + inside, &place), "MPI_Get_address");
        lengths.push_back(static_cast<int>(part));
        places.push_back(place);
      }
      room -= part;
      left -= part;
      inside += part;
      if (inside == (*piece)->bytes.size()) {
        ++piece;
        inside = 0;
      }
    }
    if (lengths.size() == 1) {
      start(reinterpret_cast<std::byte*>(places[0]), lengths[0], MPI_BYTE);
      continue;
    }
    MPI_Datatype together = MPI_DATATYPE_NULL;
    check_mpi(
        MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), MPI_BYTE, &together),
        "MPI_Type_create_hindexed");
    check_mpi(MPI_Type_commit(&together), "MPI_Type_commit");
    start(MPI_BOTTOM, 1, together);
    check_mpi(MPI_Type_free(&together), "MPI_Type_free");  // MPI keeps it until the message is through
  }
}

template <typename Piece>
std::map<int, std::vector<const Piece*>> by_peer(std::span<const Piece> pieces) {
  std::map<int, std::vector<const Piece*>> sorted;
  for (const Piece& piece : pieces) sorted[piece.peer].push_back(&piece);
  return sorted;
}

}  // namespace

void MpiCommunicator::exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) {
  std::vector<MPI_Request> requests;
  for (const auto& [peer, pieces] : by_peer(incoming)) {
    post_together(pieces, count_limit_, [&](void* data, int count, MPI_Datatype type) {
      check_mpi(MPI_Irecv(data, count, type, peer, kTag, comm_, &requests.emplace_back(MPI_REQUEST_NULL)), "MPI_Irecv");
    });
  }
  for (const auto& [peer, pieces] : by_peer(outgoing)) {
    post_together(pieces, count_limit_, [&](const void* data, int count, MPI_Datatype type) {
      check_mpi(MPI_Isend(data, count, type, peer, kTag, comm_, &requests.emplace_back(MPI_REQUEST_NULL)), "MPI_Isend");
    });
  }
  std::uint64_t bytes = 0;
  for (const Incoming& piece : incoming) bytes += piece.bytes.size();
  for (const Outgoing& piece : outgoing) bytes += piece.bytes.size();
  for (std::size_t at = 0; at < requests.size(); at += count_limit_) {
    const auto count = static_cast<int>(std::min<std::uint64_t>(count_limit_, requests.size() - at));
    wait_patiently(std::span(requests).subspan(at, static_cast<std::size_t>(count)), bytes);
  }
}

}  // namespace weft
