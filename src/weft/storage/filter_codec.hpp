// storage/filter_codec.hpp - a filter that Weft does and undoes itself. Each has a file of its own, NAME_codec.cpp, and
// stands in the list of filter_codec.cpp. All else (help, errors, repack, reading) asks that list.
//
// Where the bytes are described: storage/chunk_codec.hpp. None of the calls is collective.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/support/error.hpp"

namespace weft::storage {

// One filter at work, with what its library keeps between calls. For one thread.
class FilterCodec {
 public:
  FilterCodec() = default;
  virtual ~FilterCodec() = default;
  FilterCodec(const FilterCodec&) = delete;
  FilterCodec& operator=(const FilterCodec&) = delete;

  // In memory of the codec's own, until its next encode(), or in what offer() gave. Empty where a filter that
  // compresses cannot make `from` shorter.
  virtual std::span<const std::byte> encode(std::span<const std::byte> from) = 0;
  // Memory for the next encode(), which takes it where nothing that it may make is longer.
  void offer(std::span<std::byte> memory) { offered_ = memory; }
  // Fills `to`, whose length is the one before encode(). Throws damaged() where the bytes are not what encode() left.
  virtual void decode(std::span<const std::byte> from, std::span<std::byte> to) = 0;

 protected:
  // So much memory for an encode(): what was offered, or memory that stays.
  std::span<std::byte> room(std::size_t bytes) {
    const std::span<std::byte> offered = std::exchange(offered_, {});
    if (offered.size() >= bytes) return offered.first(bytes);
    if (made_.size() < bytes) made_.resize(bytes);
    return std::span(made_).first(bytes);
  }

 private:
  std::vector<std::byte> made_;
  std::span<std::byte> offered_;
};

// What is known of a filter, and how one comes to work.
struct FilterKind {
  struct Levels {
    unsigned least = 0;
    unsigned most = 0;
    unsigned usual = 0;  // where none is said
  };

  int id = 0;
  std::string_view name{};
  std::optional<Levels> levels{};  // its first setting, where it has one
  bool compresses = false;         // so that only it knows the length that it makes
  std::size_t adds = 0;            // bytes by which it makes a chunk longer
  bool optional = true;            // may be left out for a chunk that it would make longer
  // Its settings for elements of so many bytes, where they are no level. Empty: it has none.
  std::vector<unsigned> (*settings)(std::uint64_t element_bytes) = nullptr;
  std::unique_ptr<FilterCodec> (*make)(std::span<const unsigned> settings) = nullptr;
  void (*teach_hdf5)() = nullptr;  // of a filter that HDF5 does not bring
};

extern const FilterKind kDeflate;
extern const FilterKind kZstd;
extern const FilterKind kLzf;
extern const FilterKind kShuffle;
extern const FilterKind kFletcher32;

// All of them.
std::span<const FilterKind* const> filter_kinds();
// nullptr where it is not among them.
const FilterKind* filter_kind(int id);

inline Error damaged(std::string_view filter) {
  return {ErrorKind::data, "", std::string("is damaged: ") + std::string(filter) + " cannot undo it"};
}

// The setting of this number, or `otherwise`.
inline unsigned setting(std::span<const unsigned> settings, std::size_t number, unsigned otherwise) {
  return number < settings.size() ? settings[number] : otherwise;
}

// Ends a filter function of HDF5's (H5Z_func_t): `made`, of HDF5's memory, takes the place of the buffer; or, where
// there is nothing to show, goes. Returns `length`.
std::size_t hand_to_hdf5(void* made, std::size_t length, std::size_t space, std::size_t* room, void** buffer);

}  // namespace weft::storage
