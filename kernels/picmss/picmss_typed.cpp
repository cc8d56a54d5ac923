// The optimised ways: the file stays open, MPI types say what is written, from where in memory and to where in the
// file.
#include <cstddef>
#include <numeric>
#include <optional>

#include "kernels/picmss/picmss_rank.hpp"

namespace weft::kernels::picmss {

namespace {

// The members of a ZoneHeader, which repeats as an array of them does in memory.
MpiType zone_type() {
  constexpr std::array<int, 4> kLengths{1, 13, 1, 11};
  constexpr std::array<MPI_Aint, 4> kPlaces{offsetof(ZoneHeader, mark), offsetof(ZoneHeader, name_and_strand),
                                            offsetof(ZoneHeader, time), offsetof(ZoneHeader, shape)};
  const std::array<MPI_Datatype, 4> types{MPI_FLOAT, MPI_INT32_T, MPI_DOUBLE, MPI_INT32_T};
  MPI_Datatype one = MPI_DATATYPE_NULL;
  MPI_Datatype repeated = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(4, kLengths.data(), kPlaces.data(), types.data(), &one);
  MPI_Type_create_resized(one, 0, sizeof(ZoneHeader), &repeated);
  MPI_Type_free(&one);
  return MpiType(repeated);
}

// One of `of_a_node` values of every node in some of the lines that are held: a vector picks it along a line, an
// indexed block picks the lines.
MpiType in_memory(std::uint64_t of_a_node, std::uint64_t line_nodes, const Stretch& lines) {
  std::vector<int> places(lines.count);
  std::iota(places.begin(), places.end(), static_cast<int>(lines.first));
  MPI_Datatype values = MPI_DATATYPE_NULL;
  MPI_Datatype line = MPI_DATATYPE_NULL;
  MPI_Datatype own = MPI_DATATYPE_NULL;
  MPI_Type_vector(static_cast<int>(line_nodes), 1, static_cast<int>(of_a_node), MPI_DOUBLE, &values);
  MPI_Type_create_resized(values, 0, static_cast<MPI_Aint>(sizeof(double) * of_a_node * line_nodes), &line);
  MPI_Type_create_indexed_block(static_cast<int>(lines.count), 1, places.data(), line, &own);
  MPI_Type_free(&values);
  MPI_Type_free(&line);
  return MpiType(own);
}

MpiType brick_type() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(kCornersOfBrick, MPI_INT32_T, &type);
  return MpiType(type);
}

// A rank's items of all that an array in the file has. Nothing can be no subarray.
MpiType in_file(std::uint64_t all, const Stretch& own, MPI_Datatype item) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (own.count == 0) {
    MPI_Type_dup(item, &type);
  } else {
    const int size = static_cast<int>(all);
    const int count = static_cast<int>(own.count);
    const int start = static_cast<int>(own.first);
    MPI_Type_create_subarray(1, &size, &count, &start, MPI_ORDER_C, item, &type);
  }
  return MpiType(type);
}

template <std::size_t N>
void write_integers(MpiFile& file, const std::array<std::int32_t, N>& values) {
  file.write(values.data(), N, MPI_INT32_T);
}

void write_typed_header(MpiFile& file, const FirstHeader& header, MPI_Datatype zone) {
  file.write(header.magic.data(), static_cast<int>(header.magic.size()), MPI_CHAR);
  write_integers(file, header.title_and_names);
  file.write(header.zones.data(), static_cast<int>(header.zones.size()), zone);
  file.write(header.marks.data(), static_cast<int>(header.marks.size()), MPI_FLOAT);
  write_integers(file, header.variables);
  file.write(header.ranges.data(), static_cast<int>(header.ranges.size()), MPI_DOUBLE);
}

void write_typed_header(MpiFile& file, const StepHeader& header) {
  file.write(&header.mark, 1, MPI_FLOAT);
  write_integers(file, header.variables);
  file.write(header.ranges.data(), static_cast<int>(header.ranges.size()), MPI_DOUBLE);
}

}  // namespace

struct PicmssRank::Types {
  explicit Types(const PicmssRank& rank)
      : zone(zone_type()),
        brick(brick_type()),
        coordinate(in_memory(kPicmssCoordinates.size(), rank.grid_.line_nodes(), rank.held_lines_of_own())),
        variable(in_memory(kPicmssVariables.size(), rank.grid_.line_nodes(), rank.held_lines_of_own())),
        nodes_in_file(in_file(rank.grid_.nodes(), rank.nodes_, MPI_DOUBLE)),
        bricks_in_file(in_file(rank.grid_.bricks(), rank.bricks_, brick.get())) {}
  MpiType zone;
  MpiType brick;
  MpiType coordinate;  // in memory
  MpiType variable;
  MpiType nodes_in_file;
  MpiType bricks_in_file;
};

// Setting a view is collective, and a disk may be full on one rank only: all agree after each array.
void PicmssRank::write_typed(std::uint64_t phase, Done& done) {
  const std::string path = picmss_file(run_.out, options_, phase);
  Calls calls;
  std::optional<Types> types;
  std::optional<MpiFile> file;
  agree_on(comm_, [&] { timed(done.times.build, [&] { types.emplace(*this); }); });
  agree_on(comm_, [&] {
    file.emplace(comm_.handle(), path, MPI_MODE_WRONLY | MPI_MODE_CREATE, run_.hints, MpiAccount{calls, done.times});
  });
  for (std::uint64_t step = 0; step < options_.steps; ++step) {
    const Ranges ranges = compute(phase, step, done);
    const auto address = static_cast<MPI_Offset>(layout_.step_address(step));
    agree_on(comm_, [&] { file->set_view(address, MPI_BYTE, MPI_BYTE, run_.hints); });
    agree_on(comm_, [&] {
      if (is_first() && step == 0) {
        write_typed_header(*file, first_header(grid_, phase * options_.steps, options_.steps, ranges),
                           types->zone.get());
      } else if (is_first()) {
        write_typed_header(*file, step_header(ranges));
      }
    });
    for (const Section& section : layout_.sections(step)) {
      const bool bricks = section.kind == Section::Kind::bricks;
      agree_on(comm_, [&] {
        file->set_view(static_cast<MPI_Offset>(section.address), bricks ? types->brick.get() : MPI_DOUBLE,
                       bricks ? types->bricks_in_file.get() : types->nodes_in_file.get(), run_.hints);
      });
      agree_on(comm_, [&] { write_section(*file, section, *types); });
    }
  }
  agree_on(comm_, [&] { file->close(); });
  done.app += calls;
  done.mpi += calls;
  check_file(path, done);
}

void PicmssRank::write_section(MpiFile& file, const Section& section, const Types& types) const {
  const void* data = corners_.data();
  int count = static_cast<int>(bricks_.count);
  MPI_Datatype type = types.brick.get();
  if (section.kind != Section::Kind::bricks) {
    count = nodes_.count > 0 ? 1 : 0;  // the type is all that the rank owns
    if (count > 0) data = value(section, 0);
    type = section.kind == Section::Kind::coordinate ? types.coordinate.get() : types.variable.get();
  }
  if (options_.strategy == PicmssStrategy::typed_collective) {
    file.write_all(data, count, type);
  } else if (count > 0) {
    file.write(data, count, type);
  }
}

}  // namespace weft::kernels::picmss
