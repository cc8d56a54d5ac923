#include "weft/support/communicator.hpp"

#include <fmt/format.h>

#include <cstring>
#include <exception>
#include <new>

namespace weft {

void SelfCommunicator::exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) {
  for (std::size_t i = 0; i < outgoing.size(); ++i) {
    std::memcpy(incoming[i].bytes.data(), outgoing[i].bytes.data(), outgoing[i].bytes.size());
  }
}

void agree(Communicator& comm, const std::optional<Error>& mine) {
  const auto size = static_cast<std::uint64_t>(comm.size());
  const std::uint64_t first = comm.min(mine ? static_cast<std::uint64_t>(comm.rank()) : size);
  if (first == size) return;
  std::vector<std::byte> message;
  if (mine && static_cast<std::uint64_t>(comm.rank()) == first) {
    std::string text = mine->what();
    if (size > 1 && !text.starts_with("rank ")) text = fmt::format("rank {}: {}", first, text);
    message.push_back(static_cast<std::byte>(mine->kind()));
    message.push_back(static_cast<std::byte>(mine->errno_value()));  // all are below 256
    const auto* data = reinterpret_cast<const std::byte*>(text.data());
    message.insert(message.end(), data, data + text.size());
  }
  comm.broadcast(message, static_cast<int>(first));
  const std::string text(reinterpret_cast<const char*>(message.data()) + 2, message.size() - 2);
  throw Error(static_cast<ErrorKind>(message[0]), "", text).with_errno(std::to_integer<int>(message[1])).agreed();
}

void agree_on(Communicator& comm, const std::function<void()>& action) {
  std::optional<Error> mine;
  try {
    action();
  } catch (const Error& error) {
    mine = error;
  } catch (const std::bad_alloc&) {
    mine = Error(ErrorKind::system, "", "there is not enough memory", "use more ranks or smaller sizes");
  } catch (const std::exception& error) {
    mine = Error(ErrorKind::system, "", error.what());
  }
  agree(comm, mine);
}

std::vector<std::byte> gather_from_all(Communicator& comm, std::span<const std::byte> mine) {
  // To rank 0, and from there to everybody: a word for each pair of ranks would be too many.
  std::vector<std::vector<std::byte>> outgoing(static_cast<std::size_t>(comm.size()));
  outgoing[0].assign(mine.begin(), mine.end());
  const auto incoming = comm.all_to_all(outgoing);
  std::vector<std::byte> all;
  if (comm.rank() == 0) {
    for (const auto& one : incoming) all.insert(all.end(), one.begin(), one.end());
  }
  comm.broadcast(all, 0);
  return all;
}

}  // namespace weft
