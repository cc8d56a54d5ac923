// A series as .vtu files of a mesh or .vti files of a grid, one a step, and the .pvd that gives them their times.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "weft/convert/job.hpp"
#include "weft/convert/mesh_piece.hpp"
#include "weft/convert/piece_reader.hpp"
#include "weft/convert/value_text.hpp"
#include "weft/convert/vtk_file.hpp"

namespace weft::convert {

namespace {

using storage::Support;

// The time as VTK's readers look for it in a single file.
constexpr const char* kTime = "TimeValue";

template <typename T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

std::vector<double> coordinates_of(const StepSource& source, const view::Unstructured& mesh, const MeshPiece& piece) {
  std::vector<double> coordinates;
  coordinates.reserve(3 * piece.nodes.size());
  for (const RowRange& range : row_ranges(piece.nodes, source.bridge_bytes() / (3 * sizeof(double)))) {
    // A long range goes through a piece of memory, not through another copy of all points.
    constexpr std::uint64_t kAtOnce = 1 << 16;
    auto node = std::lower_bound(piece.nodes.begin(), piece.nodes.end(), static_cast<std::int64_t>(range.first));
    for (std::uint64_t first = range.first; first < range.first + range.count; first += kAtOnce) {
      const std::uint64_t count = std::min(kAtOnce, range.first + range.count - first);
      const auto places = source.mesh<double>(mesh.points_path, 3 * first, 3 * count);
      for (; node != piece.nodes.end() && static_cast<std::uint64_t>(*node) < first + count; ++node) {
        const auto at = places.begin() + 3 * (*node - static_cast<std::int64_t>(first));
        coordinates.insert(coordinates.end(), at, at + 3);
      }
    }
  }
  return coordinates;
}

// One block of the view on its way into files of its own.
class BlockConversion {
 public:
  BlockConversion(const Job& job, std::size_t number)
      : job_(job), source_(job.source), block_(job.source.view().blocks[number]), name_(job.name_of_block(number)) {}

  Written run() {
    if (block_.unstructured) piece_ = deal_piece(job_.comm, source_, *block_.unstructured);
    agree_on(job_.comm, [&] {
      describe();
      if (block_.unstructured) {
        if (!piece_.empty()) write_pieces();
      } else {
        write_grids();
      }
    });
    std::vector<std::vector<std::byte>> told(static_cast<std::size_t>(job_.comm.size()));
    if (!piece_.empty()) told[0].resize(1);
    const std::vector<std::vector<std::byte>> pieces = job_.comm.all_to_all(told);
    agree_on(job_.comm, [&] {
      if (job_.comm.rank() != 0) return;
      if (in_pieces()) name_pieces(pieces);
      name_steps();
    });
    written_.open = job_.path_of(name_ + ".pvd");
    return written_;
  }

 private:
  bool in_pieces() const { return block_.unstructured && job_.comm.size() > 1; }
  std::string piece_name(std::uint64_t step, int rank) const {
    if (block_.grid) return fmt::format("{}_{}.vti", name_, job_.number(step));
    if (!in_pieces()) return fmt::format("{}_{}.vtu", name_, job_.number(step));
    return fmt::format("{}_{}_p{}.vtu", name_, job_.number(step), rank);
  }

  std::vector<view::ViewField> all_fields() const {
    std::vector<view::ViewField> fields = block_.fields;
    const std::vector<view::ViewField>& globals = source_.view().globals;
    fields.insert(fields.end(), globals.begin(), globals.end());
    return fields;
  }

  std::vector<DataType> types_of(std::span<const view::ViewField> fields) const {
    std::vector<DataType> types;
    for (const view::ViewField& field : fields) types.push_back(written_type(field.type, job_.conversion.precision));
    return types;
  }

  void describe() {
    const Precision precision = job_.conversion.precision;
    document_.compressed = job_.conversion.level > 0;
    document_.coordinates = written_type(DataType::float64, precision);
    if (block_.grid) document_.grid = &*block_.grid;
    document_.globals.push_back({kTime, DataType::float64, 1, 1});
    for (const view::ViewField& field : source_.view().globals) {
      document_.globals.push_back({field.name, written_type(field.type, precision), 1, field.points});
    }
    for (const view::ViewField& field : block_.fields) {
      std::vector<VtkArray>& arrays = field.support == Support::cells ? document_.on_cells : document_.on_nodes;
      arrays.push_back({field.name, written_type(field.type, precision), field.components});
    }
    fields_ = all_fields();
    groups_ = group_fields(block_.fields, block_.grid ? block_.grid->shape.size() : 1);
    for (FieldGroup& group : group_fields(source_.view().globals, 0)) {
      for (Column& column : group.columns) column.field += block_.fields.size();
      groups_.push_back(std::move(group));
    }
  }

  // The globals of the window's step number `at`, then the fields on nodes, then those on cells.
  void add_fields(VtkFile& file, PieceReader& reader, std::uint64_t step, std::size_t at) const {
    const double time = source_.times()[step];
    file.add(std::as_bytes(std::span(&time, 1)));
    for (std::size_t f = block_.fields.size(); f < fields_.size(); ++f) file.add(reader.column(f, at));
    for (const Support support : {Support::nodes, Support::cells}) {
      for (std::size_t f = 0; f < block_.fields.size(); ++f) {
        if (fields_[f].support == support) file.add(reader.column(f, at));
      }
    }
  }

  // What is in memory beside the steps: a column, and what it is compressed to.
  std::uint64_t column_bytes(const PieceReader& reader) const {
    const std::uint64_t column = reader.column_bytes();
    return column + (job_.conversion.level > 0 ? most_compressed_bytes(column) : 0);
  }

  // `begin` adds what comes before the fields.
  template <typename Begin>
  void write_steps(PieceReader& reader, std::span<const std::uint64_t> steps, std::uint64_t most, const Begin& begin) {
    // An older list would name new steps and old ones from here on. Rank 0 has a part of every block.
    if (job_.comm.rank() == 0) std::remove(job_.path_of(name_ + ".pvd").c_str());
    std::uint64_t done = 0;
    for (const StepWindow& window : reader.windows(steps, most)) {
      const auto chosen = steps.subspan(window.first, window.count);
      reader.read(chosen);
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        const std::string path = job_.path_of(piece_name(chosen[i], job_.comm.rank()));
        VtkFile file(path, document_, job_.conversion.level);
        begin(file);
        add_fields(file, reader, chosen[i], i);
        job_.count(written_, path, file.finish());
        job_.tell(++done, steps.size());
      }
    }
  }

  void write_pieces() {
    document_.points = piece_.nodes.size();
    document_.cells = piece_.types.size();
    PieceReader reader(source_, fields_, groups_, {&piece_, document_.points, document_.cells}, types_of(fields_));
    const std::uint64_t mesh_bytes = bytes_of(piece_.nodes).size() + bytes_of(piece_.connectivity).size() +
                                     bytes_of(piece_.ends).size() + piece_.types.size() +
                                     3 * document_.points * sizeof(double);
    const std::uint64_t most = steps_that_fit(job_, mesh_bytes + column_bytes(reader), reader.bytes_a_step(),
                                              "one step of a rank's piece and its mesh");
    const int level = job_.conversion.level;
    std::vector<double> places = coordinates_of(source_, *block_.unstructured, piece_);
    std::vector<std::byte> coordinates;
    if (document_.coordinates != DataType::float64) {
      coordinates.resize(3 * document_.points * size_of(document_.coordinates));
      copy_column({DataType::float64, bytes_of(places).data(), 3, 0, 3}, document_.coordinates, coordinates);
      places = {};
    }
    if (level == 0) {
      write_steps(reader, job_.steps, most, [&](VtkFile& file) {
        file.add(coordinates.empty() ? bytes_of(places) : coordinates);
        file.add(bytes_of(piece_.connectivity));
        file.add(bytes_of(piece_.ends));
        file.add(bytes_of(piece_.types));
      });
      return;
    }
    // The mesh is in every file: it is compressed once, and one array after the other makes room.
    std::vector<std::vector<std::byte>> ready;
    const auto take = [&](auto& values) {
      ready.push_back(compressed_array(bytes_of(values), level));
      ready.back().shrink_to_fit();
      values = {};
    };
    coordinates.empty() ? take(places) : take(coordinates);
    take(piece_.connectivity);
    take(piece_.ends);
    take(piece_.types);
    write_steps(reader, job_.steps, most, [&](VtkFile& file) {
      for (const std::vector<std::byte>& array : ready) file.add_encoded(array);
    });
  }

  void write_grids() {
    const partition::Block mine = partition::even_block(job_.steps.size(), job_.comm.rank(), job_.comm.size());
    PieceReader reader(source_, fields_, groups_, {nullptr, element_count(block_.grid->shape), 0}, types_of(fields_));
    const std::uint64_t most = steps_that_fit(job_, column_bytes(reader), reader.bytes_a_step(), "one step");
    write_steps(reader, std::span(job_.steps).subspan(mine.first, mine.count), most, [](VtkFile&) {});
  }

  // Rank 0's: the file of every step that names the pieces.
  void name_pieces(std::span<const std::vector<std::byte>> pieces) {
    const std::span<const view::ViewField> globals = source_.view().globals;
    PieceReader reader(source_, globals, group_fields(globals, 0), {}, types_of(globals));
    for (const std::uint64_t step : job_.steps) {
      reader.read(std::span(&step, 1));
      std::vector<VtkGlobalText> texts{{document_.globals[0], fmt::format("{}", source_.times()[step])}};
      for (std::size_t g = 0; g < globals.size(); ++g) {
        texts.push_back(
            {document_.globals[1 + g], values_text(document_.globals[1 + g].type, reader.column(g, 0), " ")});
      }
      std::vector<std::string> files;
      for (int rank = 0; rank < job_.comm.size(); ++rank) {
        if (!pieces[static_cast<std::size_t>(rank)].empty()) files.push_back(piece_name(step, rank));
      }
      const std::string path = job_.path_of(fmt::format("{}_{}.pvtu", name_, job_.number(step)));
      job_.count(written_, path, write_text(path, pvtu_text(document_, texts, files)));
    }
  }

  void name_steps() {
    std::vector<PvdEntry> entries;
    for (const std::uint64_t step : job_.steps) {
      const std::string file = in_pieces() ? fmt::format("{}_{}.pvtu", name_, job_.number(step)) : piece_name(step, 0);
      entries.push_back({source_.times()[step], file});
    }
    const std::string path = job_.path_of(name_ + ".pvd");
    job_.count(written_, path, write_text(path, pvd_text(entries)));
  }

  const Job& job_;
  const StepSource& source_;
  const view::Block& block_;
  std::string name_;
  MeshPiece piece_;
  VtkDocument document_;
  std::vector<view::ViewField> fields_;  // the block's, then the globals
  std::vector<FieldGroup> groups_;
  Written written_;
};

}  // namespace

Written convert_to_vtk(const Job& job) {
  Written all;
  for (std::size_t block = 0; block < job.source.view().blocks.size(); ++block) {
    const Written one = BlockConversion(job, block).run();
    if (block == 0) {
      all.open = one.open;
    } else {
      all.further.push_back(one.open);
    }
    all.files += one.files;
    all.bytes += one.bytes;
  }
  return all;
}

}  // namespace weft::convert
