#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "benchmarks/on_ranks/writer.hpp"

namespace on_ranks {

namespace {

class RawWriter final : public Writer {
 public:
  explicit RawWriter(const Series& series) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::filesystem::create_directories(series.path);
    MPI_Barrier(MPI_COMM_WORLD);
    const std::string path = series.path + "/" + std::to_string(rank);
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file_ < 0) throw std::system_error(errno, std::generic_category(), path);
  }
  ~RawWriter() override { close(); }
  RawWriter(const RawWriter&) = delete;
  RawWriter& operator=(const RawWriter&) = delete;

  void put(std::uint64_t /*step*/, const std::vector<double>& values) override {
    const char* next = reinterpret_cast<const char*>(values.data());
    for (std::size_t left = values.size() * sizeof(double); left > 0;) {
      const ssize_t written = ::write(file_, next, left);
      if (written < 0) throw std::system_error(errno, std::generic_category(), "write");
      next += written;
      left -= static_cast<std::size_t>(written);
    }
  }
  void close() override {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }

 private:
  int file_ = -1;
};

}  // namespace

std::unique_ptr<Writer> raw_writer(const Series& series) { return std::make_unique<RawWriter>(series); }

}  // namespace on_ranks
