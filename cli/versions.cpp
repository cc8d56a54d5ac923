#include "cli/versions.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>

#include "weft/version.hpp"

#ifdef WEFT_HAVE_MPI
#include <mpi.h>

#include <array>
#endif

namespace weft::cli {

namespace {

#ifdef WEFT_HAVE_MPI
// Of "Open MPI v4.1.4, package: .." and "MPICH Version:      4.0.2\nMPICH Release date: .." the beginning. MPI need not
// run for it.
std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  if (MPI_Get_library_version(text.data(), &length) != MPI_SUCCESS) return "MPI\n";
  std::string line(text.data(), static_cast<std::size_t>(length));
  line.resize(std::min(line.find_first_of(",\n"), line.size()));
  std::string words;
  for (const char letter : line) {
    const bool blank = letter == ' ' || letter == '\t';
    if (!blank || !words.ends_with(' ')) words += blank ? ' ' : letter;
  }
  return words + "\n";
}
#else
std::string mpi_version() { return "without MPI\n"; }
#endif

}  // namespace

std::string versions() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  H5get_libversion(&major, &minor, &release);
  std::string text = fmt::format("weft {}\nHDF5 {}.{}.{}\n{}", kVersion, major, minor, release, mpi_version());
  text.pop_back();  // whoever prints it ends the line
  return text;
}

}  // namespace weft::cli
