// weft/convert/vtk_file.hpp - a .vtu or .vti file as it is written: arrays one after the other, the XML last.
//
// An array is [length][bytes], or compressed [blocks][bytes of a block][bytes of the last, if less][compressed bytes of
// each block][blocks], all numbers 64 bits. The XML goes before the arrays in the file and says where each begins,
// which is known when it is compressed; room for it is kept, so no array has to be held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/convert/part_file.hpp"
#include "weft/convert/vtk_document.hpp"

namespace weft::convert {

// An array as it lies in the file. `level` is zlib's, 1 to 9.
std::vector<std::byte> compressed_array(std::span<const std::byte> values, int level);
// The most compressed_array() takes, its result and the memory of zlib aside.
std::uint64_t most_compressed_bytes(std::uint64_t bytes);

class VtkFile {
 public:
  // `level` 0 does not compress; it must agree with document.compressed, and the document outlive this. Not collective.
  VtkFile(const std::string& path, const VtkDocument& document, int level);

  // The next array of the document.
  void add(std::span<const std::byte> values);
  // The same where it is compressed already, or is not to be.
  void add_encoded(std::span<const std::byte> array);

  // Gives the file its name; returns its length.
  std::uint64_t finish();

 private:
  const VtkDocument& document_;
  int level_;
  PartFile file_;
  std::uint64_t head_;
  std::uint64_t next_ = 0;  // behind the underscore
  std::vector<std::uint64_t> offsets_;
};

}  // namespace weft::convert
