#include "weft/repack/data_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "weft/repack/piece_sums.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/support/quantity.hpp"

namespace weft::repack {

namespace {

using storage::Handle;

// A dataset that will be read.
struct Reading {
  std::string path;
  Pieces pieces;
  std::optional<ChecksumTable> expected;
  bool filtered;
  std::uint64_t bytes;  // about what will be read of it, decoded
};

class DataCheck {
 public:
  DataCheck(hid_t file, const ObjectWalk& walk, Check& chunks, Check& checksums)
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
    for (const std::string& path : datasets_with_checksums(file_)) {
      try {
        std::optional<ChecksumTable> table = load_checksums(file_, path);
        const Handle dataset(H5Dopen2(file_, path.c_str(), H5P_DEFAULT));
        if (table && dataset.valid()) tables_.emplace(address_of(dataset), std::move(*table));
      } catch (const Error& error) {
        checksums_.fail(error.what());
      }
    }
  }

  void plan() {
    for (const FoundObject& object : walk_.objects) {
      if (object.kind != ObjectKind::dataset) continue;
      try {
        const Handle dataset(storage::check_hdf5(H5Dopen2(file_, object.path.c_str(), H5P_DEFAULT), object.path,
                                                 "cannot be opened", ErrorKind::data));
        const DatasetFacts facts = facts_of(dataset, object.path);
        const auto table = tables_.find(object.address);
        const bool filtered = !facts.filters.empty() && !facts.empty && facts.movable;
        if (!filtered && table == tables_.end()) continue;
        filtered_ += filtered ? 1 : 0;
        const std::uint64_t stored = facts.stored_chunks * element_count(facts.chunk) * facts.element_bytes;
        readings_.push_back({object.path, checksum_pieces(facts), std::nullopt, filtered, stored});
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
    const PieceChoice choice = reading.expected ? PieceChoice::all : PieceChoice::stored;
    const PieceSums sums = sum_pieces(file_, reading.path, reading.pieces, choice, budget, advance);
    filtered_chunks_ += reading.filtered ? sums.pieces_read : 0;
    for (const Problem& failure : sums.failures) chunks_.fail(failure.what);
    if (!reading.expected || !sums.failures.empty()) return;
    for (std::uint64_t n = 0; n < sums.table.sums.size(); ++n) {
      ++sums_;
      if (sums.table.sums[n] == reading.expected->sums[n]) continue;
      const Box box = reading.pieces.box(n);
      checksums_.fail(fmt::format("{}: {} values from {} on are not those the checksum was taken of", reading.path,
                                  format_count(element_count(box.count)), index_text(box.start)));
    }
  }

  hid_t file_;
  const ObjectWalk& walk_;
  Check& chunks_;
  Check& checksums_;
  std::map<std::uint64_t, ChecksumTable> tables_;
  std::vector<Reading> readings_;
  std::uint64_t filtered_ = 0;
  std::uint64_t filtered_chunks_ = 0;
  std::uint64_t sums_ = 0;
};

}  // namespace

void check_data(hid_t file, const ObjectWalk& walk, std::uint64_t budget_bytes,
                const std::function<void(std::uint64_t done, std::uint64_t total)>& progress, Check& chunks,
                Check& checksums) {
  const storage::QuietHdf5 quiet;
  DataCheck(file, walk, chunks, checksums).run(budget_bytes, progress);
}

}  // namespace weft::repack
