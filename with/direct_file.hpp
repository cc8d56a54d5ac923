// with/direct_file.hpp - windows of steps, written straight into their chunks, behind the program.
//
// HDF5 gives the chunks of a file that ranks share their places as soon as the dataset is long enough, and keeps no
// copy of them. Where they are not filtered, and values need no conversion, a rank can put its part there by itself:
// whole chunks in one write, of a chunk that it shares with another rank its own bytes and no others. A thread does it,
// while the program computes the next steps; it calls neither HDF5 nor MPI.
#pragma once

#include <sys/uio.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "with/counters.hpp"
#include "with/step_window.hpp"

namespace weft::with {

struct PlacedChunk {
  Shape start;  // its first element in the dataset
  std::uint64_t address;
};

// Windows of one dataset, and the chunks that they fill parts of, by rising address.
struct Batch {
  std::vector<StepWindow> windows;
  std::vector<PlacedChunk> chunks;
  Shape extents;
  Shape chunk;
  std::uint64_t element_bytes = 0;
  bool zero_padding = false;  // what a chunk has beyond the dataset is zero, and may be written
  std::shared_ptr<DatasetCounters> counters;
};

class DirectFile {
 public:
  // Null where the file cannot be opened, or lies where machines that share it do not write plainly.
  static std::shared_ptr<DirectFile> open(const std::string& path);
  ~DirectFile();
  DirectFile(const DirectFile&) = delete;
  DirectFile& operator=(const DirectFile&) = delete;

  // Whether it lies on a file system of one machine, behind its page cache.
  bool is_near() const { return near_; }

  // Hands a batch over, once the one before is written: one window is filled while another is written, not more.
  void submit(Batch batch);
  // Waits until all is written. False where something could not be, since the last time; then why() says it.
  bool finish();
  const std::string& why() const { return why_; }

  // A window for this part that was written and is free again.
  std::optional<StepWindow> spare(const Step& part);

 private:
  DirectFile(int descriptor, std::string path, bool near)
      : descriptor_(descriptor), path_(std::move(path)), near_(near) {}
  void work();
  void write(const Batch& batch);
  void write_parts(std::uint64_t address, std::vector<iovec>& parts);  // one after the other, from there

  int descriptor_;
  std::string path_;
  bool near_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> queue_;
  std::vector<StepWindow> spares_;
  std::vector<std::vector<std::byte>> buffers_;  // of chunks, for the thread alone
  std::vector<std::pair<std::shared_ptr<DatasetCounters>, Requests>> counted_;
  bool busy_ = false;
  bool ending_ = false;
  int failed_ = 0;  // errno of what could not be written
  std::string why_;
  std::thread thread_;
};

}  // namespace weft::with
