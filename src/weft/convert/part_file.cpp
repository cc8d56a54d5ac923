#include "weft/convert/part_file.hpp"

namespace weft::convert {

PartFile::PartFile(const std::string& path)
    : file_(path, storage::IfExists::replace, std::nullopt),
      store_(storage::open_store(file_.part(), storage::OpenMode::create, nullptr, path)) {}

void PartFile::finish() {
  store_->close();
  file_.finish(false);
}

std::uint64_t write_text(const std::string& path, std::string_view text) {
  PartFile file(path);
  file.store().write_at(0, std::as_bytes(std::span(text)));
  file.finish();
  return text.size();
}

}  // namespace weft::convert
