#include "kernels/blast/node_file.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/blast/zlib_block.hpp"

namespace weft::kernels::blast {

namespace {

using Header = std::array<char, kHeaderBytes>;

Header header_of(std::uint64_t block_bytes) {
  Header header;
  for (std::size_t i = 0; i < header.size(); ++i) header[i] = static_cast<char>(block_bytes >> (8 * i) & 0xff);
  return header;
}

class ImmediateFile final : public NodeFile {
 public:
  ImmediateFile(const std::string& path, FileAccount account, Codec codec)
      : times_(account.times), codec_(codec), file_(path, account) {}

  void take(std::string_view result) override {
    const Values<char> block = timed(times_.compress, [&] { return zlib_block(result, codec_); });
    const Header header = header_of(block.size());
    timed(times_.write, [&] {
      file_.seek(end_ + static_cast<std::int64_t>(header.size()), SEEK_SET);
      file_.write(block.data(), block.size());
      file_.seek(end_, SEEK_SET);
      file_.write(header.data(), header.size());
    });
    end_ += static_cast<std::int64_t>(header.size() + block.size());
  }
  void close() override { file_.close(); }

 private:
  PhaseTimes& times_;
  Codec codec_;
  StdioFile file_;
  std::int64_t end_ = 0;
};

class TwoStageFile final : public NodeFile {
 public:
  TwoStageFile(const std::string& path, FileAccount account, const BlastOptions& options, std::uint64_t expected)
      : times_(account.times),
        codec_(codec_of(options)),
        file_(path, account, StdioFile::Buffer::none),  // the blocks have a buffer of their own
        collecting_{options.collect_bytes},
        gathering_{options.write_bytes} {
    text_.reserve(std::min(options.collect_bytes, expected));
  }

  void take(std::string_view result) override {
    if (!collecting_.takes(result.size())) compress();
    text_ += result;
    collecting_.used = text_.size();
  }
  void close() override {
    if (!text_.empty()) compress();
    if (!blocks_.empty()) write();
    file_.close();
  }

 private:
  void compress() {
    const Values<char> block = timed(times_.compress, [&] { return zlib_block(text_, codec_); });
    text_.clear();
    if (!gathering_.takes(kHeaderBytes + block.size())) write();
    const Header header = header_of(block.size());
    blocks_.insert(blocks_.end(), header.begin(), header.end());
    blocks_.insert(blocks_.end(), block.begin(), block.end());
    gathering_.used = blocks_.size();
  }
  void write() {
    timed(times_.write, [&] { file_.write(blocks_.data(), blocks_.size()); });
    blocks_.clear();
  }

  PhaseTimes& times_;
  Codec codec_;
  StdioFile file_;
  Filling collecting_;
  Filling gathering_;
  std::string text_;
  Values<char> blocks_;
};

}  // namespace

bool fits_header(std::uint64_t text_bytes) {
  return text_bytes <= std::numeric_limits<std::uint32_t>::max() &&
         most_compressed(text_bytes) <= std::numeric_limits<std::uint32_t>::max();
}

std::unique_ptr<NodeFile> immediate_file(const std::string& path, FileAccount account, Codec codec) {
  return std::make_unique<ImmediateFile>(path, account, codec);
}

std::unique_ptr<NodeFile> two_stage_file(const std::string& path, FileAccount account, const BlastOptions& options,
                                         std::uint64_t expected) {
  return std::make_unique<TwoStageFile>(path, account, options, expected);
}

}  // namespace weft::kernels::blast
