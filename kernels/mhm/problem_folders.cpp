#include "kernels/mhm/problem_folders.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "kernels/io/stdio_file.hpp"
#include "kernels/mhm/criss_cross.hpp"
#include "kernels/mhm/file_names.hpp"
#include "kernels/mhm/threads.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::mhm {

namespace {

void write_file(const std::string& path, const std::string& text) {
  Calls app;  // of no account: this is not the output
  Calls system;
  PhaseTimes times;
  StdioFile file(path, {app, system, times});
  file.write(text.data(), text.size());
  file.close();
}

}  // namespace

void make_problem_folders(const std::string& out, const MhmOptions& options, const partition::Block& problems) {
  const MhmShape& shape = options.shape;
  const CrissCross mesh{shape.ccross};
  const Lattice lattice{shape.sub_elements};
  on_threads(options.threads, problems.count, [&](std::uint64_t i, std::uint64_t) {
    const std::uint64_t problem = problems.first + i;
    const std::string folder = out + "/" + problem_folder_name(problem);
    std::error_code failure;
    std::filesystem::create_directory(folder, failure);
    if (failure) throw system_error(folder, "cannot be made", failure.value());
    std::string corners;
    for (const Point& corner : mesh.corners_of(problem))
      corners += fmt::format("{:.17g} {:.17g}\n", corner.x, corner.y);
    write_file(folder + "/element.txt", corners);
    write_file(folder + "/parameters.txt", fmt::format("problem {}\nccross {}\nsub_elements {}\ndims {}\n", problem,
                                                       shape.ccross, shape.sub_elements, shape.dims));
    write_file(folder + "/mesh.txt", fmt::format("refinement {}\npoints {}\ntriangles {}\n", lattice.refinement,
                                                 lattice.points(), lattice.triangles()));
  });
}

}  // namespace weft::kernels::mhm
