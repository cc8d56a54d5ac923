#include "kernels/io/output_folder.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "weft/support/error.hpp"

namespace weft::kernels {

void make_output_folder(Communicator& comm, const std::string& path) {
  namespace fs = std::filesystem;
  agree_on(comm, [&] {
    if (path.empty()) throw Error(ErrorKind::usage, "weft run", "no folder is named to write into", "add --out DIR");
    if (comm.rank() != 0) return;
    std::error_code problem;
    if (fs::exists(path, problem) && !fs::is_directory(path, problem)) {
      throw Error(ErrorKind::usage, path, "is not a folder", "name one, or a name that is free");
    }
    fs::create_directories(path, problem);
    if (problem) throw system_error(path, "cannot be made", problem.value());
    const fs::directory_iterator inside(path, problem);
    if (problem) throw system_error(path, "cannot be read", problem.value());
    if (inside != fs::directory_iterator()) {
      throw Error(ErrorKind::usage, path, fmt::format("is not empty ({} is in it)", inside->path().filename().string()),
                  "name a folder that is empty or not there");
    }
  });
}

}  // namespace weft::kernels
