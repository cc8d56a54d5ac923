#include "weft/storage/scratch_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "weft/storage/byte_store.hpp"

namespace weft::storage {

ScratchFile::ScratchFile(std::string place, std::uint64_t bytes) : path_(std::move(place)) {
  if (fits_in_memory(bytes)) {
    memory_ = ::memfd_create("weft", MFD_CLOEXEC);
    const std::string name = fmt::format("/proc/self/fd/{}", memory_);
    // Where /proc is not mounted, it has no name.
    if (memory_ >= 0 && ::access(name.c_str(), R_OK | W_OK) == 0) {
      path_ = name;
      return;
    }
    if (memory_ >= 0) ::close(memory_);
    memory_ = -1;
  }
  open_store(path_, OpenMode::create)->close();
}

ScratchFile::~ScratchFile() {
  if (memory_ >= 0) {
    ::close(memory_);
  } else {
    ::unlink(path_.c_str());
  }
}

}  // namespace weft::storage
