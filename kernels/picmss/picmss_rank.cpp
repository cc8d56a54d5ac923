#include "kernels/picmss/picmss_rank.hpp"

#include <algorithm>
#include <limits>

#include "kernels/io/values.hpp"
#include "kernels/io/whole_file.hpp"

namespace weft::kernels::picmss {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

PicmssRank::PicmssRank(MpiCommunicator& comm, const RunOptions& run, const PicmssOptions& options)
    : comm_(comm),
      run_(run),
      options_(options),
      grid_(options.grid),
      layout_(grid_, options.steps),
      lines_(grid_.lines_of(static_cast<std::uint64_t>(comm.rank()), static_cast<std::uint64_t>(comm.size()))),
      nodes_(grid_.nodes_of(lines_)),
      bricks_(grid_.bricks_of(lines_)),
      held_(options.ghosts ? grid_.nodes_of(grid_.with_ghosts(lines_)) : nodes_) {}

void PicmssRank::prepare() {
  const auto [nx, ny, nz] = grid_.extent();
  ghost_.assign(held_.count, 1);
  std::fill_n(ghost_.begin() + static_cast<std::ptrdiff_t>(nodes_.first - held_.first), nodes_.count, 0);
  values_.assign(kPicmssVariables.size() * held_.count, kNaN);
  coordinates_.assign(kPicmssCoordinates.size() * held_.count, kNaN);
  double* place = coordinates_.data() + kPicmssCoordinates.size() * (nodes_.first - held_.first);
  corners_.clear();
  corners_.reserve(kCornersOfBrick * bricks_.count);
  for (std::uint64_t line = lines_.first; line < lines_.end(); ++line) {
    const std::uint64_t y = line % ny;
    const std::uint64_t z = line / ny;
    for (std::uint64_t x = 0; x < nx; ++x) {
      // The unit cube.
      *place++ = static_cast<double>(x) / static_cast<double>(nx - 1);
      *place++ = static_cast<double>(y) / static_cast<double>(ny - 1);
      *place++ = static_cast<double>(z) / static_cast<double>(nz - 1);
      if (x == nx - 1 || y == ny - 1 || z == nz - 1) continue;  // no brick begins there
      const std::uint64_t node = line * nx + x;
      for (const std::uint64_t below : {node, node + nx * ny}) {
        for (const std::uint64_t corner : {below, below + 1, below + 1 + nx, below + nx}) {
          corners_.push_back(static_cast<std::int32_t>(corner));
        }
      }
    }
  }
}

Ranges PicmssRank::compute(std::uint64_t phase, std::uint64_t step, Done& done) {
  const std::size_t variables = kPicmssVariables.size();
  Ranges least;
  Ranges greatest;
  set_aside(comm_, done, [&] {
    // A value's number is its place among all steps of its variable.
    const std::uint64_t first = (phase * options_.steps + step) * grid_.nodes() + nodes_.first;
    double* value = values_.data() + variables * (nodes_.first - held_.first);
    for (std::uint64_t node = 0; node < nodes_.count; ++node) {
      for (std::uint64_t v = 0; v < variables; ++v) *value++ = random_double(run_.seed, v, first + node);
    }
    if (step == 0) add_ranges(coordinates_, kPicmssCoordinates.size(), least, greatest);
    add_ranges(values_, variables, least, greatest);
  });
  Ranges ranges(2 * least.size());
  set_aside(comm_, done, [&] {
    const int count = static_cast<int>(least.size());
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, least.data(), count, MPI_DOUBLE, MPI_MIN, comm_.handle()), "MPI_Allreduce");
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, greatest.data(), count, MPI_DOUBLE, MPI_MAX, comm_.handle()),
              "MPI_Allreduce");
    for (std::size_t i = 0; i < least.size(); ++i) {
      ranges[2 * i] = least[i];
      ranges[2 * i + 1] = greatest[i];
    }
  });
  return ranges;
}

void PicmssRank::add_ranges(const std::vector<double>& values, std::size_t of_a_node, Ranges& least,
                            Ranges& greatest) const {
  const std::size_t before = least.size();
  least.resize(before + of_a_node, kInfinity);
  greatest.resize(before + of_a_node, -kInfinity);
  const double* value = values.data() + of_a_node * (nodes_.first - held_.first);
  for (std::uint64_t node = 0; node < nodes_.count; ++node) {
    for (std::size_t i = before; i < before + of_a_node; ++i, ++value) {
      least[i] = std::min(least[i], *value);
      greatest[i] = std::max(greatest[i], *value);
    }
  }
}

const double* PicmssRank::value(const Section& section, std::uint64_t node) const {
  if (section.kind == Section::Kind::coordinate) {
    return coordinates_.data() + kPicmssCoordinates.size() * node + section.number;
  }
  return values_.data() + kPicmssVariables.size() * node + section.number;
}

Stretch PicmssRank::items_of(const Section& section) const {
  return section.kind == Section::Kind::bricks ? bricks_ : nodes_;
}

void PicmssRank::check_file(const std::string& path, Done& done) {
  set_aside(comm_, done, [&] {
    if (is_first()) check_whole(path, layout_.bytes());
  });
}

}  // namespace weft::kernels::picmss
