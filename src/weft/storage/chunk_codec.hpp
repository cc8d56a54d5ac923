// weft/storage/chunk_codec.hpp - a chunk's filters, done and undone without HDF5.
//
// HDF5 decodes on one thread, under its own lock where it has one at all. The filters most files use are a few lines or
// a library call each, so they are done here (storage/filter_codec.hpp), on as many threads as there are coders. What
// is not among them HDF5 has to do itself, chunk by chunk.
//
// The bytes are HDF5's: https://docs.hdfgroup.org/hdf5/v1_10/_f_m_t3.html ("Filter Pipeline Message"); zstd as
// registered filter 32015, one frame a chunk; lzf
// as h5py's filter 32000, the bare stream of liblzf. None of the calls is collective.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace weft::storage {

class FilterCodec;  // storage/filter_codec.hpp

inline constexpr int kZstdFilter =
    32015;  // https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilters.md
// h5py's; its settings are its revision, liblzf's version, and the bytes of a chunk.
inline constexpr int kLzfFilter = 32000;

// One filter of a pipeline, numbered as HDF5 does.
struct Filter {
  int id = 0;
  std::string name;  // "deflate", "shuffle", "fletcher32", "szip", "zstd", ... ; "filter 307" where no name is known
  unsigned flags = 0;
  std::vector<unsigned> settings;

  bool operator==(const Filter&) const = default;
};

// The filters of a dataset's creation properties, in the order in which they are applied.
std::vector<Filter> filters_of(hid_t properties);
// Adds them to a dataset's creation properties. Throws Error(usage) where HDF5 refuses.
void add_filters(hid_t properties, const std::vector<Filter>& filters);

// "none", "deflate:6", "shuffle+deflate", "zstd:3", "lzf", "fletcher32": joined by +, applied from left to right.
// Throws Error(usage) for any other word or level.
std::vector<Filter> parse_filters(std::string_view text, std::uint64_t element_bytes);
// The words that parse_filters() takes, for help texts and error lines.
std::string filter_words();
// And back: "none" where there are none.
std::string to_text(const std::vector<Filter>& filters);

// Whether a filter makes chunks shorter, so that only it knows their length.
bool compresses(const Filter& filter);
// How many bytes a core undoes filters to in a second, in the order of magnitude: 250 MB/s where deflate or a filter
// nobody knows is among them, 1 GB/s with the quick ones (zstd, lzf, LZ4, Blosc), 2 GB/s where nothing is compressed.
double decode_bandwidth(const std::vector<Filter>& filters);
// Whether shuffle comes first, so that values may be shuffled on their way to ChunkCoder (support/byte_planes.hpp).
bool shuffles_first(const std::vector<Filter>& filters);
// Whether every filter of the list is one that ChunkCoder knows.
bool coded_here(const std::vector<Filter>& filters);
// The first filter that neither ChunkCoder nor this machine's HDF5 can undo; nullptr where there is none.
const Filter* first_unknown(const std::vector<Filter>& filters);

// Teaches HDF5 zstd and lzf, unless it knows them: so that it creates such datasets, and its own reads and writes work
// too.
void register_filters();

// Does and undoes a list of filters that are coded_here(). For one thread; every thread has one of its own.
class ChunkCoder {
 public:
  explicit ChunkCoder(std::vector<Filter> filters);
  ~ChunkCoder();
  ChunkCoder(ChunkCoder&&) noexcept;
  ChunkCoder& operator=(ChunkCoder&&) noexcept;

  // The chunk as the file has it. Bit i of `skipped` says that filter i was left out, as an optional one may be where
  // it would make the chunk longer.
  template <typename Memory>
  struct As {
    Memory bytes;
    std::uint32_t skipped = 0;
  };
  using Encoded = As<std::vector<std::byte>>;
  Encoded encode(std::span<const std::byte> chunk);
  // The same in memory that stands until the coder's next call, or in the chunk's own; or from the first byte of
  // `memory` on, where that has room for anything that the last filter may make. The chunk has been through the first
  // `done` filters already.
  As<std::span<const std::byte>> encode_here(std::span<const std::byte> chunk, std::span<std::byte> memory = {},
                                             std::size_t done = 0);

  // Fills `chunk`, whose length must be the chunk's. Throws Error(data), without a place, where the bytes are not what
  // the filters left: damaged.
  void decode(std::span<const std::byte> bytes, std::uint32_t skipped, std::span<std::byte> chunk);

 private:
  struct Stage {
    std::unique_ptr<FilterCodec> codec;
    bool compresses;
    std::size_t adds;
  };

  std::vector<Filter> filters_;
  std::vector<Stage> stages_;   // one for each
  std::vector<std::byte> now_;  // between two of them, while a chunk is decoded
  std::vector<std::byte> next_;
};

// The pieces, for tests.
std::uint32_t fletcher32(std::span<const std::byte> bytes);
void shuffle(std::span<const std::byte> from, std::uint64_t element_bytes, std::span<std::byte> to);
void unshuffle(std::span<const std::byte> from, std::uint64_t element_bytes, std::span<std::byte> to);

}  // namespace weft::storage

#pragma GCC visibility pop
