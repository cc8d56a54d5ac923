// The original: opened to append, written value by value, and closed again, every step.
#include <optional>

#include "kernels/picmss/picmss_rank.hpp"

namespace weft::kernels::picmss {

namespace {

template <typename T>
void write_each(MpiFile& file, const T* values, std::size_t count, MPI_Datatype type) {
  for (std::size_t i = 0; i < count; ++i) file.write(values + i, 1, type);
}

template <std::size_t N>
void write_each(MpiFile& file, const std::array<std::int32_t, N>& values) {
  write_each(file, values.data(), N, MPI_INT32_T);
}

void write_header(MpiFile& file, const FirstHeader& header) {
  write_each(file, header.magic.data(), header.magic.size(), MPI_CHAR);
  write_each(file, header.title_and_names);
  for (const ZoneHeader& zone : header.zones) {
    file.write(&zone.mark, 1, MPI_FLOAT);
    write_each(file, zone.name_and_strand);
    file.write(&zone.time, 1, MPI_DOUBLE);
    write_each(file, zone.shape);
  }
  write_each(file, header.marks.data(), header.marks.size(), MPI_FLOAT);
  write_each(file, header.variables);
  write_each(file, header.ranges.data(), header.ranges.size(), MPI_DOUBLE);
}

void write_header(MpiFile& file, const StepHeader& header) {
  file.write(&header.mark, 1, MPI_FLOAT);
  write_each(file, header.variables);
  write_each(file, header.ranges.data(), header.ranges.size(), MPI_DOUBLE);
}

}  // namespace

void PicmssRank::write_elementwise(std::uint64_t phase, Done& done) {
  const std::string path = picmss_file(run_.out, options_, phase);
  constexpr int kMode = MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_APPEND;
  for (std::uint64_t step = 0; step < options_.steps; ++step) {
    const Ranges ranges = compute(phase, step, done);
    Calls calls;
    std::optional<MpiFile> file;
    // All have opened it, and know where its end was, before anybody writes behind that.
    agree_on(comm_, [&] { file.emplace(comm_.handle(), path, kMode, run_.hints, MpiAccount{calls, done.times}); });
    agree_on(comm_, [&] {
      if (is_first() && step == 0) {
        write_header(*file, first_header(grid_, phase * options_.steps, options_.steps, ranges));
      } else if (is_first()) {
        write_header(*file, step_header(ranges));
      }
      for (const Section& section : layout_.sections(step)) write_values(*file, section);
    });
    agree_on(comm_, [&] { file->close(); });
    done.app += calls;
    done.mpi += calls;
  }
  check_file(path, done);
}

// To the rank's part of the array, one write for each of its nodes (for the brick that begins there, if one does), and
// on to the array's end. What is a ghost has to be asked of every node that is held.
void PicmssRank::write_values(MpiFile& file, const Section& section) const {
  const Stretch own = items_of(section);
  const std::uint64_t first = section.address + own.first * section.item_bytes;
  file.seek(static_cast<MPI_Offset>(first), MPI_SEEK_SET);
  if (section.kind == Section::Kind::bricks) {
    for (std::uint64_t brick = 0; brick < own.count; ++brick) {
      file.write(corners_.data() + kCornersOfBrick * brick, kCornersOfBrick, MPI_INT32_T);
    }
  } else {
    for (std::uint64_t node = 0; node < held_.count; ++node) {
      if (ghost_[node] == 0) file.write(value(section, node), 1, MPI_DOUBLE);
    }
  }
  file.seek(static_cast<MPI_Offset>(section.end()), MPI_SEEK_SET);
}

}  // namespace weft::kernels::picmss
