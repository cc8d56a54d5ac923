#include "kernels/io/read_back.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "kernels/io/rank_accounts.hpp"
#include "kernels/io/yardstick.hpp"
#include "weft/partition/ownership.hpp"
#include "weft/storage/byte_store.hpp"
#include "weft/storage/page_cache.hpp"
#include "weft/support/amount.hpp"

namespace weft::kernels {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kRequest = 8ULL << 20;

struct WrittenFile {
  std::string path;
  std::uint64_t first;  // of its bytes, among those of all files
  std::uint64_t bytes;
};

// In order of their names: the same on all ranks.
std::vector<WrittenFile> files_below(const std::string& path) {
  std::vector<std::string> paths;
  if (fs::is_directory(path)) {
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) paths.push_back(entry.path());
    }
  } else {
    paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  std::vector<WrittenFile> files;
  std::uint64_t first = 0;
  for (const std::string& file : paths) {
    files.push_back({file, first, fs::file_size(file)});
    first += files.back().bytes;
  }
  return files;
}

// A rank's share of all files.
class ShareReader {
 public:
  explicit ShareReader(const partition::Block& share) : share_(share), buffer_(std::min(kRequest, share.count)) {}

  void read(const WrittenFile& file) {
    const std::uint64_t begin = std::max(file.first, share_.first);
    const std::uint64_t end = std::min(file.first + file.bytes, share_.first + share_.count);
    if (begin >= end) return;
    double seconds = 0;
    const auto store =
        timed(seconds, calls.open, [&] { return storage::open_store(file.path, storage::OpenMode::read); });
    for (std::uint64_t at = begin; at < end; at += kRequest) {
      const std::uint64_t piece = std::min(kRequest, end - at);
      timed(seconds, calls.read, [&] { store->read_at(at - file.first, storage::MutableBytes(buffer_).first(piece)); });
    }
    store->close();
  }

  CallLatencies calls;

 private:
  partition::Block share_;
  std::vector<std::byte> buffer_;
};

}  // namespace

nlohmann::ordered_json read_back(Communicator& comm, const std::string& path) {
  settle(comm, path + (fs::is_directory(path) ? "/" : ""));
  std::vector<WrittenFile> files;
  bool forgotten = true;
  agree_on(comm, [&] {
    files = files_below(path);
    for (const WrittenFile& file : files)
      forgotten = (storage::forget_pages(file.path) || file.bytes == 0) && forgotten;
  });
  const std::uint64_t bytes = files.empty() ? 0 : files.back().first + files.back().bytes;
  const int next = (comm.rank() + 1) % comm.size();
  ShareReader reader(partition::even_block(bytes, next, comm.size()));
  const Stopwatch clock;
  agree_on(comm, [&] {
    for (const WrittenFile& file : files) reader.read(file);
  });
  const double seconds = slowest(comm, clock.seconds());
  const bool cold = comm.min(forgotten ? 1 : 0) == 1;

  Done mine;
  mine.times.calls = reader.calls;
  return report_of(comm, mine, [&](const std::vector<Done>& ranks) {
    CallLatencies calls;
    for (const Done& rank : ranks) calls += rank.times.calls;
    return nlohmann::ordered_json{{"files", files.size()}, {"bytes", bytes}, {"reads", calls.read.calls()},
                                  {"seconds", seconds},    {"cold", cold},   {"latency", to_json(calls)}};
  });
}

std::string read_back_text(const nlohmann::json& report) {
  const auto bytes = report.at("bytes").get<std::uint64_t>();
  const auto files = report.at("files").get<std::uint64_t>();
  const double seconds = report.at("seconds").get<double>();
  return fmt::format("{} from {} {} in {} reads: {} ({}/s), {}", format_bytes(bytes), format_count(files),
                     files == 1 ? "file" : "files", format_count(report.at("reads").get<std::uint64_t>()),
                     format_seconds(seconds),
                     format_bytes(static_cast<std::uint64_t>(static_cast<double>(bytes) / std::max(seconds, 1e-9))),
                     report.at("cold").get<bool>() ? "cold" : "from memory, at least in part");
}

}  // namespace weft::kernels
