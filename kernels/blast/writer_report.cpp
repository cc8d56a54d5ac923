#include "kernels/blast/writer_report.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "weft/support/amount.hpp"

namespace weft::kernels::blast {

namespace {

constexpr std::size_t kNumbers = 4;

// A part of the writers' work: bytes in so many seconds, each.
class Share {
 public:
  void add(double bytes, double seconds) {
    seconds_.push_back(seconds);
    bandwidth_.push_back(seconds > 0 ? bytes / seconds : 0);
  }
  nlohmann::json json() const {
    const Spread seconds = spread_of(seconds_);
    const Spread bandwidth = spread_of(bandwidth_);
    return {{"seconds", {{"mean", seconds.mean}, {"sd", seconds.sd}}},
            {"bandwidth", {{"mean", bandwidth.mean}, {"sd", bandwidth.sd}}}};
  }
  std::string text(const char* what) const {
    const Spread seconds = spread_of(seconds_);
    const Spread bandwidth = spread_of(bandwidth_);
    return fmt::format("{} a writer: {} (sd {}), {}/s (sd {}/s)", what, format_seconds(seconds.mean),
                       format_seconds(seconds.sd), format_bytes(static_cast<std::uint64_t>(bandwidth.mean)),
                       format_bytes(static_cast<std::uint64_t>(bandwidth.sd)));
  }

 private:
  std::vector<double> seconds_;
  std::vector<double> bandwidth_;
};

}  // namespace

Spread spread_of(const std::vector<double>& values) {
  Spread spread;
  if (values.empty()) return spread;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) spread.mean += value / count;
  if (values.size() == 1) return spread;
  for (const double value : values) spread.sd += (value - spread.mean) * (value - spread.mean) / (count - 1);
  spread.sd = std::sqrt(spread.sd);
  return spread;
}

nlohmann::json writer_report(MpiCommunicator& comm, const WriterWork& mine) {
  const std::array<double, kNumbers> numbers{static_cast<double>(mine.text_bytes), static_cast<double>(mine.file_bytes),
                                             mine.compress_seconds, mine.write_seconds};
  std::vector<double> all(kNumbers * static_cast<std::size_t>(comm.size()));
  check_mpi(MPI_Allgather(numbers.data(), kNumbers, MPI_DOUBLE, all.data(), kNumbers, MPI_DOUBLE, comm.handle()),
            "MPI_Allgather");
  Share compress;
  Share write;
  std::uint64_t writers = 0;
  double text = 0;
  double file = 0;
  for (std::size_t i = 0; i < all.size(); i += kNumbers) {
    if (all[i + 1] == 0) continue;
    ++writers;
    text += all[i];
    file += all[i + 1];
    compress.add(all[i], all[i + 2]);
    write.add(all[i + 1], all[i + 3]);
  }
  const double ratio = text / file;
  return {{"text_bytes", static_cast<std::uint64_t>(text)},
          {"ratio", ratio},
          {"writers", {{"count", writers}, {"compress", compress.json()}, {"write", write.json()}}},
          {"about",
           {fmt::format("{} of XML, {:.2f} : 1; {} {} wrote", format_bytes(static_cast<std::uint64_t>(text)), ratio,
                        format_count(writers), writers == 1 ? "writer" : "writers"),
            compress.text("compressing"), write.text("writing")}}};
}

}  // namespace weft::kernels::blast
