// weft/convert/part_file.hpp - a file that is under its name only when it is whole.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "weft/storage/byte_store.hpp"

namespace weft::convert {

// Writes NAME.part; finish() gives it its name. What is not finished is removed. Not collective.
class PartFile {
 public:
  // Throws Error(system) where it cannot be created.
  explicit PartFile(std::string path);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  storage::ByteStore& store() { return *store_; }
  void finish();

 private:
  std::string path_;
  std::string part_;
  std::unique_ptr<storage::ByteStore> store_;
  bool finished_ = false;
};

// A whole text; returns its length.
std::uint64_t write_text(const std::string& path, std::string_view text);

}  // namespace weft::convert
