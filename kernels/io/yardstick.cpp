#include "kernels/io/yardstick.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <utility>
#include <vector>

#include "weft/partition/ownership.hpp"
#include "weft/storage/byte_store.hpp"
#include "weft/support/stopwatch.hpp"

namespace weft::kernels {

double raw_write_seconds(Communicator& comm, const std::string& path, std::uint64_t bytes, bool sync) {
  constexpr std::uint64_t kPiece = 8ULL << 20;
  std::vector<std::byte> buffer(kPiece);
  for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = static_cast<std::byte>(i * 131 + 7);
  agree_on(comm, [&] {
    if (comm.rank() == 0) storage::open_store(path, storage::OpenMode::create)->close();
  });
  settle(comm, path);
  // Removed however the measurement ends: it is as large as the run's own file.
  struct Remove {
    const std::string& path;
    bool mine;
    ~Remove() {
      if (mine) ::unlink(path.c_str());
    }
  } const remove{path, comm.rank() == 0};
  const Stopwatch clock;
  agree_on(comm, [&] {
    const auto store = storage::open_store(path, storage::OpenMode::write);
    const partition::Block mine = partition::even_block(bytes, comm.rank(), comm.size());
    for (std::uint64_t done = 0; done < mine.count; done += kPiece) {
      const std::uint64_t piece = std::min(kPiece, mine.count - done);
      store->write_at(mine.first + done, storage::Bytes(buffer).first(piece));
    }
    if (sync) store->sync();
    store->close();
  });
  return slowest(comm, clock.seconds());
}

Yardstick::Yardstick(Communicator& comm, std::string path, bool wanted, bool comes_after)
    : comm_(comm), path_(std::move(path)), wanted_(wanted) {
  const bool draws = wanted && !comes_after && comm.rank() == 0;
  is_first_ = comm.max(draws ? std::random_device{}() % 2 : 0) == 1;
}

void Yardstick::before(std::uint64_t bytes, bool sync) {
  if (wanted_ && is_first_) seconds_ = raw_write_seconds(comm_, path_, bytes, sync);
}

void Yardstick::after(std::uint64_t bytes, bool sync) {
  if (wanted_ && !is_first_) seconds_ = raw_write_seconds(comm_, path_, bytes, sync);
}

void settle(Communicator& comm, const std::string& path) {
  if (comm.rank() == 0) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) {
      ::syncfs(descriptor);
      ::close(descriptor);
    }
  }
  comm.max(0);  // everyone waits for rank 0
}

}  // namespace weft::kernels
