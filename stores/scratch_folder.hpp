// stores/scratch_folder.hpp - a folder for files that nobody is to find later.
//
// It goes with its owner, and also where that is killed: a process of its own waits for the owner's end, and removes
// what is left.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace weft::stores {

class ScratchFolder {
 public:
  // A new folder in `parent`, whose name begins with ".weft-probe-". `cleaner`: the program and the words before the
  // folder's name that run clean_up_after(). Throws Error(system) where it cannot be made.
  ScratchFolder(const std::string& parent, const std::string& program, const std::string& cleaner);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  void start_cleaner(const std::string& program, const std::string& cleaner);

  std::string path_;
  int pipe_ = -1;  // whose closing tells the cleaner, whatever ends this process
  pid_t cleaner_ = -1;
};

// What the cleaner does: waits for the end of its standard input, and removes the folder with all that is in it. Only
// one that a ScratchFolder made.
void clean_up_after(const std::string& folder);

}  // namespace weft::stores
