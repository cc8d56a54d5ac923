// A file for every problem. Each is opened, written and closed by one thread.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <vector>

#include "kernels/io/stdio_file.hpp"
#include "kernels/mhm/file_names.hpp"
#include "kernels/mhm/mhm_output.hpp"
#include "kernels/mhm/threads.hpp"
#include "kernels/mhm/value_text.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::mhm {

namespace {

[[noreturn]] void refuse_width(double value) {
  throw Error(ErrorKind::data, "a solution", fmt::format("the value {} takes more than 12 characters", value));
}

class FilesOutput final : public MhmOutput {
 public:
  explicit FilesOutput(const MhmOutputSpec& spec)
      : spec_(spec), piece_(piece_bytes(spec.options, spec.run)), buffers_(spec.options.threads) {}

  void write(std::uint64_t phase, std::span<const double> values, Done& done) override {
    const MhmOptions& options = spec_.options;
    std::vector<Done> done_by(options.threads);
    on_threads(options.threads, spec_.problems.count, [&](std::uint64_t i, std::uint64_t thread) {
      const std::string path = fmt::format("{}/{}/{}", spec_.run.out, problem_folder_name(spec_.problems.first + i),
                                           solution_file_name(phase));
      const double* const mine = values.data() + i * options.shape.values();
      Done& account = done_by[thread];
      const bool buffered = options.strategy == MhmStrategy::files_buffered;
      StdioFile file(path, {account.app, account.system, account.times},
                     buffered ? StdioFile::Buffer::none : StdioFile::Buffer::stdio);
      timed(account.times.write, [&] {
        if (buffered) {
          write_buffered(file, mine, buffers_[thread]);
        } else if (options.format == TextFormat::stdio) {
          write_by_printf(file, mine);
        } else {
          write_values(file, mine);
        }
      });
      file.close();
    });
    for (const Done& part : done_by) done += part;
    done.bytes += spec_.problems.count * options.shape.problem_bytes();
  }

 private:
  // The original.
  void write_by_printf(StdioFile& file, const double* values) const {
    in_file_order(spec_.options.shape, values, [&](double value) {
      const int written = std::fprintf(file.stream(), "%12.5e\n", value);
      if (written < 0) file.check();
      if (written != static_cast<int>(kValueBytes)) refuse_width(value);
      file.count(kValueBytes);
    });
    file.check();
  }

  void write_values(StdioFile& file, const double* values) const {
    std::array<char, kMostValueText> text;
    in_file_order(spec_.options.shape, values, [&](double value) {
      write_value_text(text.data(), value, TextFormat::fast);
      file.write(text.data(), kValueBytes);
    });
  }

  void write_buffered(StdioFile& file, const double* values, std::vector<char>& buffer) const {
    buffer.resize(piece_ + kMostValueText);
    char* const full = buffer.data() + piece_;
    char* end = buffer.data();
    in_file_order(spec_.options.shape, values, [&](double value) {
      end = write_value_text(end, value, spec_.options.format);
      if (end < full) return;
      file.write(buffer.data(), piece_);
      end = buffer.data();
    });
    if (end > buffer.data()) file.write(buffer.data(), static_cast<std::uint64_t>(end - buffer.data()));
  }

  MhmOutputSpec spec_;
  std::uint64_t piece_;
  std::vector<std::vector<char>> buffers_;  // a thread's
};

}  // namespace

char* write_value_text(char* out, double value, TextFormat format) {
  if (format == TextFormat::fast) {
    char* const end = write_value(out, value);
    if (end != out + kValueBytes) refuse_width(value);
    return end;
  }
  if (std::snprintf(out, kMostValueText, "%12.5e\n", value) != static_cast<int>(kValueBytes)) refuse_width(value);
  return out + kValueBytes;
}

std::unique_ptr<MhmOutput> files_output(const MhmOutputSpec& spec) { return std::make_unique<FilesOutput>(spec); }

}  // namespace weft::kernels::mhm
