#include "kernels/awp/awp_types.hpp"

#include <vector>

namespace weft::kernels::awp {

namespace {

std::uint64_t place_of(const Extent& points, std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return (z * points[1] + y) * points[0] + x;
}

MPI_Aint byte_of(std::uint64_t place) { return static_cast<MPI_Aint>(place * sizeof(float)); }

// Calls visit(x, y, z) for the first point of each row of the part, in the order of the file.
template <typename Visit>
void for_each_row(const GridPart& part, const Visit& visit) {
  const auto& [start, count] = part;
  for (std::uint64_t z = start[2]; z < start[2] + count[2]; ++z) {
    for (std::uint64_t y = start[1]; y < start[1] + count[1]; ++y) visit(start[0], y, z);
  }
}

MpiType every_value(const Extent& points, const GridPart& part, std::uint64_t steps) {
  const std::uint64_t values = mapped_blocks(AwpStrategy::hindexed, part.count, steps);
  const std::vector<int> lengths(values, 1);
  std::vector<MPI_Aint> displacements;
  displacements.reserve(values);
  for (std::uint64_t step = 0; step < steps; ++step) {
    for_each_row(part, [&](std::uint64_t x, std::uint64_t y, std::uint64_t z) {
      const std::uint64_t first = step * volume(points) + place_of(points, x, y, z);
      for (std::uint64_t i = 0; i < part.count[0]; ++i) displacements.push_back(byte_of(first + i));
    });
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(static_cast<int>(values), lengths.data(), displacements.data(), MPI_FLOAT, &type);
  return MpiType(type);
}

MpiType rows_of_a_step(const Extent& points, const GridPart& part) {
  const std::uint64_t rows = mapped_blocks(AwpStrategy::hindexed_rows, part.count, 1);
  const std::vector<int> lengths(rows, static_cast<int>(part.count[0]));
  std::vector<MPI_Aint> displacements;
  displacements.reserve(rows);
  for_each_row(part, [&](std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    displacements.push_back(byte_of(place_of(points, x, y, z)));
  });
  MPI_Datatype one = MPI_DATATYPE_NULL;
  MPI_Datatype repeated = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(static_cast<int>(rows), lengths.data(), displacements.data(), MPI_FLOAT, &one);
  MPI_Type_create_resized(one, 0, byte_of(volume(points)), &repeated);
  MPI_Type_free(&one);
  return MpiType(repeated);
}

// Slowest axis first, as MPI_ORDER_C has it.
std::array<int, 3> slowest_first(const Extent& extent) {
  return {static_cast<int>(extent[2]), static_cast<int>(extent[1]), static_cast<int>(extent[0])};
}

MpiType block_of_a_step(const Extent& points, const GridPart& part) {
  const std::array<int, 3> sizes = slowest_first(points);
  const std::array<int, 3> counts = slowest_first(part.count);
  const std::array<int, 3> starts = slowest_first(part.start);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(3, sizes.data(), counts.data(), starts.data(), MPI_ORDER_C, MPI_FLOAT, &type);
  return MpiType(type);
}

}  // namespace

std::uint64_t mapped_blocks(AwpStrategy strategy, const Extent& part, std::uint64_t steps) {
  switch (strategy) {
    case AwpStrategy::hindexed: return volume(part) * steps;
    case AwpStrategy::hindexed_rows: return part[1] * part[2];
    case AwpStrategy::subarray:
    case AwpStrategy::series: return 0;
  }
  return 0;
}

MpiType awp_file_type(AwpStrategy strategy, const Extent& points, const GridPart& part, std::uint64_t steps) {
  if (strategy == AwpStrategy::hindexed) return every_value(points, part, steps);
  if (strategy == AwpStrategy::hindexed_rows) return rows_of_a_step(points, part);
  return block_of_a_step(points, part);
}

}  // namespace weft::kernels::awp
