#include "weft/verify/data_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/support/amount.hpp"
#include "weft/survey/piece_sums.hpp"

namespace weft::verify {

namespace {

using storage::Handle;

// A dataset that will be read.
struct Reading {
  std::string path;
  survey::Pieces pieces;
  std::optional<survey::ChecksumTable> expected;
  bool filtered;
  std::uint64_t bytes;  // about what will be read of it, decoded
};

class DataCheck {
 public:
  DataCheck(hid_t file, const survey::ObjectWalk& walk, Check& chunks, Check& checksums)
      : file_(file), walk_(walk), chunks_(chunks), checksums_(checksums) {}

  void run(std::uint64_t budget, const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    load_tables();
    plan();
    std::uint64_t total = 0;
    std::uint64_t done = 0;
    for (const Reading& reading : readings_) total += reading.bytes;
    for (const Reading& reading : readings_) {
      const auto advance = [&](std::uint64_t bytes) {
        done += bytes;
        if (progress) progress(std::min(done, total), total);
      };
      try {
        read(reading, budget, advance);
      } catch (const Error& error) {
        chunks_.fail(error.what());
      }
    }
    if (filtered_ == 0) {
      chunks_.leave_out("no chunk is filtered: nothing to decode");
    } else {
      chunks_.detail = fmt::format("{} of {} datasets decode", format_count(filtered_chunks_), filtered_);
    }
    checksums_.detail = fmt::format("{} of {} datasets", format_count(sums_), tables_.size());
    if (tables_.empty()) checksums_.leave_out("there are none");
  }

 private:
  // By the dataset, whichever of its names the table has.
  void load_tables() {
    for (const std::string& path : survey::datasets_with_checksums(file_)) {
      try {
        std::optional<survey::ChecksumTable> table = survey::load_checksums(file_, path);
        const Handle dataset(H5Dopen2(file_, path.c_str(), H5P_DEFAULT));
        if (table && dataset.valid()) tables_.emplace(survey::address_of(dataset), std::move(*table));
      } catch (const Error& error) {
        checksums_.fail(error.what());
      }
    }
  }

  void plan() {
    for (const survey::FoundObject& object : walk_.objects) {
      if (object.kind != survey::ObjectKind::dataset) continue;
      try {
        const Handle dataset(storage::check_hdf5(H5Dopen2(file_, object.path.c_str(), H5P_DEFAULT), object.path,
                                                 "cannot be opened", ErrorKind::data));
        const survey::DatasetFacts facts = survey::facts_of(dataset, object.path);
        const auto table = tables_.find(object.address);
        const bool filtered = !facts.filters.empty() && !facts.empty && facts.movable;
        if (!filtered && table == tables_.end()) continue;
        filtered_ += filtered ? 1 : 0;
        const std::uint64_t stored = facts.stored_chunks * element_count(facts.chunk) * facts.element_bytes;
        readings_.push_back({object.path, survey::checksum_pieces(facts), std::nullopt, filtered, stored});
        if (table == tables_.end()) continue;
        readings_.back().pieces = table->second.pieces;
        readings_.back().expected = table->second;
        readings_.back().bytes = facts.logical_bytes();
      } catch (const Error& error) {
        chunks_.fail(error.what());
      }
    }
  }

  void read(const Reading& reading, std::uint64_t budget, const std::function<void(std::uint64_t)>& advance) {
    const survey::PieceChoice choice = reading.expected ? survey::PieceChoice::all : survey::PieceChoice::stored;
    const survey::PieceSums sums = survey::sum_pieces(file_, reading.path, reading.pieces, choice, budget, advance);
    filtered_chunks_ += reading.filtered ? sums.pieces_read : 0;
    for (const survey::Problem& failure : sums.failures) chunks_.fail(failure.what);
    if (!reading.expected || !sums.failures.empty()) return;
    for (std::uint64_t n = 0; n < sums.table.sums.size(); ++n) {
      ++sums_;
      if (sums.table.sums[n] == reading.expected->sums[n]) continue;
      const Box box = reading.pieces.box(n);
      checksums_.fail(fmt::format("{}: {} values from {} on are not those the checksum was taken of", reading.path,
                                  format_count(element_count(box.count)), survey::index_text(box.start)));
    }
  }

  hid_t file_;
  const survey::ObjectWalk& walk_;
  Check& chunks_;
  Check& checksums_;
  std::map<std::uint64_t, survey::ChecksumTable> tables_;
  std::vector<Reading> readings_;
  std::uint64_t filtered_ = 0;
  std::uint64_t filtered_chunks_ = 0;
  std::uint64_t sums_ = 0;
};

}  // namespace

void check_data(hid_t file, const survey::ObjectWalk& walk, std::uint64_t budget_bytes,
                const std::function<void(std::uint64_t done, std::uint64_t total)>& progress, Check& chunks,
                Check& checksums) {
  const storage::QuietHdf5 quiet;
  DataCheck(file, walk, chunks, checksums).run(budget_bytes, progress);
}

}  // namespace weft::verify
