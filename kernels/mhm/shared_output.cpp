// One file of all problems, each in a region of its own. Threads make the text of several problems at once; the first
// one hands it to MPI-IO, piece by piece.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "kernels/io/mpi_file.hpp"
#include "kernels/io/whole_file.hpp"
#include "kernels/mhm/file_names.hpp"
#include "kernels/mhm/mhm_output.hpp"
#include "kernels/mhm/threads.hpp"
#include "kernels/mhm/value_text.hpp"
#include "weft/support/shape.hpp"

namespace weft::kernels::mhm {

namespace {

// Problems whose text is made at once, where each is written alone: several for a thread, as beginning with threads
// takes its time too.
std::uint64_t alone_at_once(std::uint64_t threads, std::uint64_t region) {
  constexpr std::uint64_t kEach = 8;
  constexpr std::uint64_t kTogether = 64ULL << 20;
  return threads == 1 ? 1 : std::clamp(kTogether / region, threads, kEach * threads);
}

MPI_Offset offset(std::uint64_t bytes) { return static_cast<MPI_Offset>(bytes); }

class SharedOutput final : public MhmOutput {
 public:
  SharedOutput(MpiCommunicator& comm, const MhmOutputSpec& spec)
      : comm_(comm),
        spec_(spec),
        region_(region_bytes(spec.options, spec.run)),
        piece_(piece_bytes(spec.options, spec.run)),
        is_collective_(spec.options.strategy == MhmStrategy::shared_collective),
        batch_(is_collective_ ? piece_ / region_ : alone_at_once(spec.options.threads, region_)) {}

  void write(std::uint64_t phase, std::span<const double> values, Done& done) override {
    agree_on(comm_, [&] { text_.resize(std::min(batch_, spec_.problems.count) * region_ + kMostValueText); });
    const std::string path = spec_.run.out + "/" + solution_file_name(phase);
    std::optional<MpiFile> file;
    agree_on(comm_, [&] {
      file.emplace(comm_.handle(), path, MPI_MODE_WRONLY | MPI_MODE_CREATE, spec_.run.hints,
                   MpiAccount{done.mpi, done.times});
    });
    if (is_collective_) {
      write_together(*file, values, done);
    } else {
      agree_on(comm_, [&] { write_alone(*file, values, done); });
    }
    agree_on(comm_, [&] { file->close(); });
    set_aside(comm_, done, [&] {
      if (comm_.rank() == 0) check_whole(path, spec_.options.shape.problems() * region_);
    });
    done.app = done.mpi;  // it calls nothing else
    done.bytes = done.app.bytes();
  }

 private:
  void write_alone(MpiFile& file, std::span<const double> values, Done& done) {
    for (std::uint64_t first = 0; first < spec_.problems.count; first += batch_) {
      const std::uint64_t count = std::min(batch_, spec_.problems.count - first);
      make_text(values, first, count, done);
      for (std::uint64_t i = 0; i < count; ++i) {
        const char* const text = text_.data() + i * region_;
        const std::uint64_t at = (spec_.problems.first + first + i) * region_;
        for (std::uint64_t written = 0; written < region_; written += piece_) {
          const auto bytes = static_cast<int>(std::min(piece_, region_ - written));
          file.write_at(offset(at + written), text + written, bytes, MPI_BYTE);
        }
      }
    }
  }

  // As many calls on every rank; those that have no more write nothing.
  void write_together(MpiFile& file, std::span<const double> values, Done& done) {
    const std::uint64_t most = comm_.max(spec_.problems.count);
    for (std::uint64_t first = 0; first < most; first += batch_) {
      const std::uint64_t mine = std::min(first, spec_.problems.count);
      const std::uint64_t count = std::min(batch_, spec_.problems.count - mine);
      agree_on(comm_, [&] { make_text(values, mine, count, done); });
      agree_on(comm_, [&] {
        file.write_at_all(offset((spec_.problems.first + mine) * region_), text_.data(),
                          static_cast<int>(count * region_), MPI_BYTE);
      });
    }
  }

  // The text of problems [first, first + count) of this rank, region after region. What a region has more than text is
  // filled with ends of lines, which readers of columns skip.
  void make_text(std::span<const double> values, std::uint64_t first, std::uint64_t count, Done& done) {
    const MhmOptions& options = spec_.options;
    std::vector<double> seconds(options.threads, 0);
    on_threads(options.threads, count, [&](std::uint64_t i, std::uint64_t thread) {
      timed(seconds[thread], [&] { make_text_of(values, first + i, text_.data() + i * region_); });
    });
    for (const double part : seconds) done.times.write += part;
  }

  void make_text_of(std::span<const double> values, std::uint64_t problem, char* out) const {
    const MhmShape& shape = spec_.options.shape;
    char* end = out;
    std::array<char, kMostValueText> text;  // printf ends a value with a byte that the next region has no room for
    in_file_order(shape, values.data() + problem * shape.values(), [&](double value) {
      write_value_text(text.data(), value, spec_.options.format);
      end = std::copy_n(text.data(), kValueBytes, end);
    });
    std::fill(end, out + region_, '\n');
  }

  MpiCommunicator& comm_;
  MhmOutputSpec spec_;
  std::uint64_t region_;
  std::uint64_t piece_;
  bool is_collective_;
  std::uint64_t batch_;  // problems whose text is in memory at once
  std::vector<char> text_;
};

}  // namespace

std::unique_ptr<MhmOutput> shared_output(MpiCommunicator& comm, const MhmOutputSpec& spec) {
  return std::make_unique<SharedOutput>(comm, spec);
}

}  // namespace weft::kernels::mhm
