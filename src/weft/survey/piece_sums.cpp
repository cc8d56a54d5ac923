#include "weft/survey/piece_sums.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "weft/storage/metadata_change.hpp"
#include "weft/storage/open_elsewhere.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/survey/dataset_reader.hpp"
#include "weft/survey/open_file.hpp"

namespace weft::survey {

namespace {

using storage::check_hdf5;
using storage::Handle;

// One piece, in parts that fit the buffer and follow each other row-major.
std::uint32_t sum_of(DatasetReader& reader, const Box& piece, std::vector<std::byte>& buffer) {
  constexpr std::uint64_t kBufferBytes = 8ULL << 20;
  const std::uint64_t bytes = reader.element_bytes();
  const Pieces parts(piece.count, row_major_piece(piece.count, std::max<std::uint64_t>(1, kBufferBytes / bytes)));
  std::uint32_t sum = 0;
  for (std::uint64_t n = 0; n < parts.count(); ++n) {
    Box part = parts.box(n);
    for (std::size_t axis = 0; axis < part.start.size(); ++axis) part.start[axis] += piece.start[axis];
    buffer.resize(element_count(part.count) * bytes);
    reader.read(part, buffer);
    sum = chunk_checksum(buffer, sum);
  }
  return sum;
}

}  // namespace

Pieces checksum_pieces(const DatasetFacts& facts) {
  const Shape shape = facts.scalar ? Shape{1} : facts.shape;
  const std::uint64_t rows = std::max<std::uint64_t>(1, kPieceBytes / std::max<std::uint64_t>(1, facts.element_bytes));
  return {shape, facts.chunk.empty() ? row_major_piece(shape, rows) : facts.chunk};
}

bool may_have_checksums(const DatasetFacts& facts) {
  return facts.movable && !facts.empty && facts.storage != StorageKind::view &&
         facts.storage != StorageKind::external && !facts.path.starts_with("/weft/");
}

PieceSums sum_pieces(hid_t file, const std::string& path, const Pieces& pieces, PieceChoice choice,
                     std::uint64_t budget_bytes, const std::function<void(std::uint64_t bytes)>& read) {
  const storage::QuietHdf5 quiet;
  const Handle dataset(
      check_hdf5(H5Dopen2(file, path.c_str(), H5P_DEFAULT), path, "cannot be opened", ErrorKind::data));
  const Handle type(check_hdf5(H5Dget_type(dataset), path, "has no type", ErrorKind::data));
  DatasetReader reader(file, path, type, {std::min<std::uint64_t>(32ULL << 20, budget_bytes / 4), budget_bytes / 2});
  if (!reader.described().movable) {
    throw Error(ErrorKind::usage, path, "has elements of variable length", "they have no checksums");
  }
  const bool by_chunks = reader.chunk() == pieces.piece();
  std::vector<std::uint64_t> numbers;
  if (choice == PieceChoice::stored && by_chunks) {
    numbers = reader.stored_chunks();
  } else {
    numbers.resize(pieces.count());
    std::iota(numbers.begin(), numbers.end(), 0U);
  }
  PieceSums result{{path, pieces, {}}, {}, numbers.size()};
  if (choice == PieceChoice::all) result.table.sums.resize(pieces.count());
  const auto keep = [&](std::uint64_t number, std::uint32_t sum) {
    if (choice == PieceChoice::all) result.table.sums[number] = sum;
  };
  const std::uint64_t element_bytes = reader.element_bytes();
  std::mutex mutex;
  const auto done = [&](std::uint64_t number) {
    const std::lock_guard lock(mutex);
    if (read) read(element_count(pieces.box(number).count) * element_bytes);
  };
  if (reader.decodes() && by_chunks) {
    reader.each_chunk(
        numbers,
        [&](std::uint64_t number, std::span<const std::byte> chunk) {
          keep(number, chunk_checksum(chunk, pieces.piece(), inside_of(pieces, number), element_bytes));
          done(number);
        },
        [&](std::uint64_t, const Error& error) {
          const std::lock_guard lock(mutex);
          result.failures.push_back({path, error.what()});
        });
    return result;
  }
  std::vector<std::byte> buffer;
  for (const std::uint64_t number : numbers) {
    try {
      keep(number, sum_of(reader, pieces.box(number), buffer));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::usage) throw;
      result.failures.push_back({path, error.what()});
    }
    done(number);
  }
  return result;
}

std::uint64_t add_checksums(const storage::WriterLock& /*lock*/, const std::string& path, std::uint64_t budget_bytes,
                            const std::function<void(std::uint64_t done, std::uint64_t total)>& progress) {
  if (storage::is_open_for_writing(path)) {
    throw Error(ErrorKind::usage, path, "is being written: a program has it open", "wait for it to end");
  }
  storage::SeriesCatalog catalog = storage::read_catalog(path);
  std::vector<ChecksumTable> tables;
  std::uint64_t total = 0;
  {
    const Handle file = open_file(path);
    std::vector<std::pair<std::string, Pieces>> wanted;
    const auto want = [&](const storage::ArrayEntry& array) {
      const Handle dataset(
          check_hdf5(H5Dopen2(file, array.path.c_str(), H5P_DEFAULT), array.path, "cannot be opened", ErrorKind::data));
      const DatasetFacts facts = facts_of(dataset, array.path);
      if (!facts.filters.empty()) {
        throw Error(ErrorKind::usage, path, "has filtered chunks: checksums cannot be added to it in place",
                    "weft repack --checksums makes a copy with them");
      }
      if (facts.empty) return;
      wanted.emplace_back(array.path, checksum_pieces(facts));
      total += facts.logical_bytes();
    };
    for (const storage::SegmentEntry& segment : catalog.segments) {
      for (const storage::ArrayEntry& array : segment.fields) want(array);
    }
    for (const storage::ArrayEntry& array : catalog.fixed_arrays) want(array);
    std::uint64_t done = 0;
    for (const auto& [name, pieces] : wanted) {
      PieceSums sums = sum_pieces(file, name, pieces, PieceChoice::all, budget_bytes, [&](std::uint64_t bytes) {
        done += bytes;
        if (progress) progress(done, total);
      });
      if (!sums.failures.empty()) throw Error(ErrorKind::data, path, sums.failures[0].what);
      tables.push_back(std::move(sums.table));
    }
  }
  storage::change_metadata(catalog, [&](hid_t file) {
    if (H5Lexists(file, kChecksumsGroup, H5P_DEFAULT) > 0) {
      check_hdf5(H5Ldelete(file, kChecksumsGroup, H5P_DEFAULT), path, "cannot replace the checksums it has");
    }
    for (const ChecksumTable& table : tables) store_checksums(file, table);
    return catalog;
  });
  std::uint64_t sums = 0;
  for (const ChecksumTable& table : tables) sums += table.sums.size();
  return sums;
}

}  // namespace weft::survey
