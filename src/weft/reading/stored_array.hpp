// weft/reading/stored_array.hpp - the values of one array of a series, however its dataset is stored.
//
// Two ways. Where the elements are the values and their places are known, a read is planned and done directly
// (storage/read_plan.hpp). Else chunks are fetched whole and decoded on every core, or HDF5 reads what only it can, and
// the values are unpacked and put in order (survey/dataset_reader.hpp): filters, packed values, other byte orders, axes
// in another order, virtual and compact datasets.
//
// Several threads may read at once. HDF5 is asked under one lock; chunks that are decoded here are read and decoded
// without it, side by side. Not collective.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "weft/reading/foreign_series.hpp"
#include "weft/storage/byte_store.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/support/shape.hpp"
#include "weft/survey/dataset_reader.hpp"

#pragma GCC visibility push(default)

namespace weft::reading {

// That the name of a file is another one's by now.
Error replaced(const std::string& path);

// Held around what asks HDF5, which not every machine has built for several threads. For whoever opens series on
// several threads: it may be taken again by the thread that holds it.
std::recursive_mutex& hdf5_lock();

// A file that is opened by HDF5 when the first array needs it: by then the process may be in another folder, and the
// name may be that of another file.
class OpenedFile {
 public:
  // `path` as it was given, for errors, and from the root on; the file has this inode.
  OpenedFile(std::string path, std::string whole_path, std::uint64_t inode)
      : path_(std::move(path)), whole_path_(std::move(whole_path)), inode_(inode) {}
  // With hdf5_lock() held. Throws Error(data) where the file has been replaced, Error(system) where it is not there.
  hid_t get();
  // The same file without HDF5; for several threads once it is had. Throws as get().
  std::shared_ptr<storage::ByteStore> bytes();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::string whole_path_;
  std::uint64_t inode_;
  storage::Handle file_;
  std::shared_ptr<storage::ByteStore> bytes_;
};

class StoredArray {
 public:
  // `array` as the series has it, `decoding` of its dataset. Called for each request of encoded bytes.
  using OnRequest = std::function<void(std::uint64_t bytes)>;
  StoredArray(std::shared_ptr<OpenedFile> file, storage::ArrayEntry array, Decoding decoding, OnRequest on_request,
              std::shared_ptr<survey::DecodedChunks> kept);
  ~StoredArray();

  // Where the values lie as they are; nothing where they have to be decoded. `unpack` is for what was read from there.
  const std::optional<storage::ArrayEntry>& direct() const { return direct_; }
  void unpack(std::span<std::byte> values) const;

  // Fills the values of each part, row-major as its box.count; a chunk that several have part of is decoded once where
  // the values lie in it as they are. Throws Error(data) where something cannot be read or decoded.
  using Part = survey::DatasetReader::Part;
  void read(std::span<const Part> parts);

  // Where it is decoded: whether chunks come whole, or HDF5 reads what it needs.
  bool fetches_whole_chunks() const { return reader_ != nullptr && reader_->decodes(); }
  // The bytes of a chunk in the file over those of its values, where it is decoded. The first call walks the index.
  double stored_share();
  // What reading the box asks the file for, as survey::DatasetReader says it; nothing where the values lie in the
  // dataset in another form or order.
  std::optional<survey::DatasetReader::Requests> requests_of(const Box& box) const;

 private:
  void check_shape(const survey::DatasetDescription& facts) const;
  void find_places(hid_t dataset, const survey::DatasetDescription& facts);
  void read_in_order(const Box& box, std::span<std::byte> values);
  void read_piece(const Box& box, std::span<std::byte> values);
  void read_seen(const Box& seen, std::span<std::byte> elements);

  std::shared_ptr<OpenedFile> file_;
  storage::ArrayEntry array_;
  Decoding decoding_;
  std::optional<storage::ArrayEntry> direct_;
  std::unique_ptr<survey::DatasetReader> reader_;
  std::optional<double> stored_share_;
};

// The arrays of a series that were asked for, each opened once; for several threads.
class StoredArrays {
 public:
  // So many bytes of decoded chunks are kept for reads that follow.
  explicit StoredArrays(std::uint64_t kept_bytes) : kept_(std::make_shared<survey::DecodedChunks>(kept_bytes)) {}

  const std::shared_ptr<survey::DecodedChunks>& kept() const { return kept_; }
  StoredArray& at(std::size_t segment, std::size_t field, const std::function<StoredArray*()>& make);

 private:
  std::shared_ptr<survey::DecodedChunks> kept_;
  std::mutex mutex_;
  std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<StoredArray>> arrays_;
};

// The decoding of a dataset that holds the array's values as they are, but for filters.
Decoding plain_decoding(const storage::ArrayEntry& array);

}  // namespace weft::reading

#pragma GCC visibility pop
