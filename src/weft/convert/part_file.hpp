// weft/convert/part_file.hpp - a file that is under its name only when it is whole.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/new_file.hpp"

namespace weft::convert {

// A new file (storage/new_file.hpp), open for writing; the conversion has the lock of all that it makes. What is not
// finished is removed. Not collective.
class PartFile {
 public:
  // Throws Error(system) where it cannot be created.
  explicit PartFile(const std::string& path);

  storage::ByteStore& store() { return *store_; }
  void finish();

 private:
  storage::NewFile file_;
  std::unique_ptr<storage::ByteStore> store_;
};

// A whole text; returns its length.
std::uint64_t write_text(const std::string& path, std::string_view text);

}  // namespace weft::convert
