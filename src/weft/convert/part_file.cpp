#include "weft/convert/part_file.hpp"

#include <cerrno>
#include <cstdio>
#include <utility>

#include "weft/support/error.hpp"

namespace weft::convert {

PartFile::PartFile(std::string path)
    : path_(std::move(path)), part_(path_ + ".part"), store_(storage::open_posix(part_, storage::OpenMode::create)) {}

PartFile::~PartFile() {
  if (!finished_) std::remove(part_.c_str());
}

void PartFile::finish() {
  store_->close();
  if (std::rename(part_.c_str(), path_.c_str()) != 0) throw system_error(path_, "cannot write", errno);
  finished_ = true;
}

std::uint64_t write_text(const std::string& path, std::string_view text) {
  PartFile file(path);
  file.store().write_at(0, std::as_bytes(std::span(text)));
  file.finish();
  return text.size();
}

}  // namespace weft::convert
