// A series as one binary Tecplot file: every rank writes its nodes and cells of every zone, rank 0 what stands before.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <memory>
#include <optional>

#include "weft/convert/job.hpp"
#include "weft/convert/part_file.hpp"
#include "weft/convert/piece_reader.hpp"
#include "weft/convert/tecplot_cells.hpp"
#include "weft/convert/tecplot_layout.hpp"
#include "weft/convert/value_text.hpp"
#include "weft/storage/hand_over.hpp"
#include "weft/storage/shared_file.hpp"
#include "weft/support/amount.hpp"

namespace weft::convert {

namespace {

using storage::Support;
using view::ViewField;

// Global values go into the notes of a zone, which are text: not for large arrays.
constexpr std::uint64_t kMostNotes = 64;
// Points whose coordinates are made at once.
constexpr std::uint64_t kPointsAtOnce = 1 << 16;

DataType plt_type(DataType type, Precision precision) {
  return type == DataType::int64 ? DataType::float64 : written_type(type, precision);
}

// Names of notes are letters, digits and underscores.
std::string note_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name.empty() || std::isalpha(static_cast<unsigned char>(name[0])) == 0 ? "N" + name : name;
}

void add_to(PltRange& range, DataType type, std::span<const std::byte> values) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    const T* at = reinterpret_cast<const T*>(values.data());
    for (const T* end = at + values.size() / sizeof(T); at != end; ++at) range.add(static_cast<double>(*at));
  });
}

// A block of the view, and its fields as variables.
struct PltPart {
  const view::Block* block = nullptr;
  std::size_t lead = 1;
  std::optional<TecplotCells> cells;  // of a mesh
  std::vector<ViewField> on_nodes;    // one a component
  std::vector<ViewField> on_cells;
  std::size_t first_variable = 0;  // of the file: those on nodes, then those on cells
  std::uint64_t rows = 0;          // of its nodes; row_points of them in each
  std::uint64_t row_points = 1;
};

class TecplotConversion {
 public:
  explicit TecplotConversion(const Job& job)
      : job_(job),
        source_(job.source),
        coordinates_(written_type(DataType::float64, job.conversion.precision)),
        path_(job.path_of(job.name)) {}

  Written run() {
    describe_parts();
    const storage::OpenMode mode = storage::shared_mode(job_.comm, path_);
    agree_on(job_.comm, [&] {
      make_layout();
      if (job_.comm.rank() == 0) {
        file_ = std::make_unique<PartFile>(path_);
        file_->store().write_at(0, layout_->header());
        storage::hand_over(job_.comm, storage::part_path(path_));
      }
    });
    storage::find_one_file(job_.comm, storage::part_path(path_));
    agree_on(job_.comm, [&] {
      shared_ = storage::open_store(storage::part_path(path_), mode, nullptr, path_);
      for (std::size_t b = 0; b < parts_.size(); ++b) write_part(b);
      if (job_.comm.rank() != 0) shared_->close();
    });
    finish();
    written_.open = path_;
    return written_;
  }

 private:
  void describe_parts() {
    for (const view::Block& block : source_.view().blocks) {
      PltPart part;
      part.block = &block;
      if (block.grid) {
        part.lead = block.grid->shape.size();
        part.rows = block.grid->shape[0];
        part.row_points = element_count(block.grid->shape) / part.rows;
      } else {
        part.rows = block.unstructured->points;
        part.cells = deal_cells(job_.comm, source_, *block.unstructured);
        if (&block == source_.view().blocks.data()) written_.left_out = part.cells->left_out;
      }
      for (const ViewField& field : split_components(block.fields, part.lead)) {
        if (field.support == Support::nodes) {
          part.on_nodes.push_back(field);
        } else if (part.cells->elements > 0) {
          part.on_cells.push_back(field);
        } else {
          written_.left_out.push_back(field.name + ": is on cells of types that Tecplot does not have");
        }
      }
      parts_.push_back(std::move(part));
    }
  }

  void make_layout() {
    std::vector<PltVariable> variables;
    std::vector<PltBlock> blocks;
    for (PltPart& part : parts_) {
      part.first_variable = PltLayout::kCoordinates + variables.size();
      for (const std::vector<ViewField>* fields : {&part.on_nodes, &part.on_cells}) {
        for (const ViewField& field : *fields) {
          variables.push_back({field.name, field.units, plt_type(field.type, job_.conversion.precision), blocks.size(),
                               field.support == Support::cells});
        }
      }
      PltBlock block{part.block->name, ZoneType::ordered, {part.rows, 1, 1}, 0};
      if (part.cells) {
        block.zone = part.cells->zone;
        block.elements = part.cells->elements;
      } else {
        const Shape& shape = part.block->grid->shape;
        std::copy(shape.rbegin(), shape.rend(), block.extent.begin());
      }
      blocks.push_back(std::move(block));
    }
    const std::string title = job_.name.substr(0, job_.name.rfind('.'));
    layout_.emplace(title, coordinates_, std::move(variables), std::move(blocks), steps());
    for (const PltPart& part : parts_) {
      ranges_.emplace_back(job_.steps.size() * (part.on_nodes.size() + part.on_cells.size()) + PltLayout::kCoordinates);
    }
  }

  std::vector<PltStep> steps() {
    std::vector<ViewField> globals;
    std::vector<DataType> types;
    for (const ViewField& field : source_.view().globals) {
      if (field.points > kMostNotes) {
        written_.left_out.push_back(fmt::format("{}: {} values a step are too many for notes of a zone", field.name,
                                                format_count(field.points)));
        continue;
      }
      globals.push_back(field);
      types.push_back(field.type);
    }
    PieceReader reader(source_, globals, group_fields(globals, 0), {}, types);
    std::vector<PltStep> steps;
    for (const std::uint64_t step : job_.steps) {
      PltStep described{source_.times()[step], {}};
      reader.read(std::span(&step, 1));
      for (std::size_t g = 0; g < globals.size(); ++g) {
        const std::span<const std::byte> values = reader.column(g, 0);
        const std::uint64_t bytes = size_of(types[g]);
        for (std::uint64_t i = 0; i < globals[g].points; ++i) {
          const std::string name = globals[g].points == 1 ? globals[g].name : fmt::format("{}_{}", globals[g].name, i);
          described.notes.emplace_back(note_name(name), values_text(types[g], values.subspan(i * bytes, bytes), ""));
        }
      }
      steps.push_back(std::move(described));
    }
    return steps;
  }

  void write_part(std::size_t b) {
    PltPart& part = parts_[b];
    // Whole columns of chunks for every rank.
    const std::vector<FieldGroup> groups = group_fields(part.on_nodes, part.lead);
    std::uint64_t unit = 1;
    for (const FieldGroup& group : groups) unit = std::max(unit, std::min(source_.chunk_of(group).rows, part.rows));
    const auto ranks = static_cast<std::uint64_t>(job_.comm.size());
    if (ceil_div(part.rows, unit) < ranks) unit = 1;
    const partition::Block units = partition::even_block(ceil_div(part.rows, unit), job_.comm.rank(), job_.comm.size());
    const std::uint64_t first = std::min(part.rows, units.first * unit);
    const RowRange rows{first, std::min(part.rows, (units.first + units.count) * unit) - first};

    write_coordinates(b, {rows.first * part.row_points, rows.count * part.row_points});
    if (part.cells && part.cells->elements > 0) {
      write_elements(source_, *part.block->unstructured, *part.cells, *shared_, layout_->elements_address(b));
    }
    write_fields(b, part.on_nodes, part.first_variable, rows, part.row_points);
    if (part.cells) {
      write_fields(b, part.on_cells, part.first_variable + part.on_nodes.size(),
                   {part.cells->mine.first, part.cells->mine.count}, 1);
    }
  }

  void write_coordinates(std::size_t b, RowRange points) {
    const PltPart& part = parts_[b];
    std::vector<std::byte> axis_values;
    for (std::uint64_t first = points.first; first < points.first + points.count; first += kPointsAtOnce) {
      const std::uint64_t count = std::min(kPointsAtOnce, points.first + points.count - first);
      const std::vector<double> places = source_.places(*part.block, first, count);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        axis_values.resize(count * size_of(coordinates_));
        copy_column({DataType::float64, std::as_bytes(std::span(places)).data(), 3, axis, 1}, coordinates_,
                    axis_values);
        add_to(ranges_[b][axis], coordinates_, axis_values);
        shared_->write_at(layout_->values_address(b, 0, axis) + first * size_of(coordinates_), axis_values);
      }
    }
  }

  // Fields on these rows of nodes (or of cells), tile by tile.
  void write_fields(std::size_t b, std::span<const ViewField> fields, std::size_t first_variable, RowRange rows,
                    std::uint64_t row_points) {
    if (fields.empty() || rows.count == 0) return;
    const bool on_cells = fields[0].support == Support::cells;
    const std::vector<FieldGroup> groups = group_fields(fields, parts_[b].lead);
    std::vector<DataType> types;
    for (const ViewField& field : fields) types.push_back(plt_type(field.type, job_.conversion.precision));
    ChunkShape chunk;
    std::uint64_t row_bytes = row_points * sizeof(double);  // the column that is written
    for (const FieldGroup& group : groups) {
      const ChunkShape its = source_.chunk_of(group);
      chunk = {std::max(chunk.steps, its.steps), std::max(chunk.rows, its.rows)};
      row_bytes += group.row_bytes();
    }
    const std::uint64_t fitting = job_.conversion.budget_bytes / row_bytes;
    if (fitting == 0) steps_that_fit(job_, 0, row_bytes, "one row of nodes of one step");  // throws
    const Tile tile = tile_for(job_.steps.size(), rows.count, chunk.steps, chunk.rows, fitting);
    const std::uint64_t end = rows.first + rows.count;
    std::uint64_t elements = on_cells ? parts_[b].cells->elements_before : 0;
    for (std::uint64_t first = rows.first; first < end; first += tile.rows) {
      const RowRange part{first, std::min(tile.rows, end - first)};
      const std::uint64_t points = part.count * row_points;
      Extent extent{nullptr, points, points};
      (on_cells ? extent.cell_rows : extent.node_rows) = part;
      PieceReader reader(source_, fields, groups, extent, types);
      const std::vector<std::int64_t> kept = on_cells ? elements_among(b, part) : std::vector<std::int64_t>();
      const std::uint64_t at = on_cells ? elements : first * row_points;
      for (const StepWindow& window : reader.windows(job_.steps, tile.steps)) {
        reader.read(std::span(job_.steps).subspan(window.first, window.count));
        for (std::size_t i = 0; i < window.count; ++i) {
          for (std::size_t f = 0; f < fields.size(); ++f) {
            std::span<const std::byte> values = reader.column(f, i);
            if (on_cells && kept.size() < points) values = only(kept, types[f], values);
            write_values(b, window.first + i, first_variable + f, at, types[f], values);
          }
        }
      }
      elements += on_cells ? kept.size() : 0;
      if (b == 0 && !on_cells) job_.tell(part.first + part.count - rows.first, rows.count);
    }
  }

  void write_values(std::size_t b, std::size_t step, std::size_t variable, std::uint64_t first, DataType type,
                    std::span<const std::byte> values) {
    const PltPart& part = parts_[b];
    const std::size_t variables = part.on_nodes.size() + part.on_cells.size();
    add_to(ranges_[b][PltLayout::kCoordinates + step * variables + variable - part.first_variable], type, values);
    shared_->write_at(layout_->values_address(b, step, variable) + first * size_of(type), values);
  }

  // Which of these cells become elements, counted from the first.
  std::vector<std::int64_t> elements_among(std::size_t b, RowRange cells) const {
    const TecplotCells& all = *parts_[b].cells;
    std::vector<std::int64_t> kept;
    for (std::uint64_t c = 0; c < cells.count; ++c) {
      if (is_element(all.types[cells.first - all.mine.first + c])) kept.push_back(static_cast<std::int64_t>(c));
    }
    return kept;
  }

  std::span<const std::byte> only(std::span<const std::int64_t> kept, DataType type,
                                  std::span<const std::byte> values) {
    compact_.resize(kept.size() * size_of(type));
    copy_column({type, values.data(), 1, 0, 1}, type, kept, 0, compact_);
    return compact_;
  }

  // Rank 0 hears of every rank's least and greatest values, and writes what stands before them.
  void finish() {
    std::vector<std::vector<std::byte>> told(static_cast<std::size_t>(job_.comm.size()));
    for (const std::vector<PltRange>& ranges : ranges_) {
      const auto bytes = std::as_bytes(std::span(ranges));
      told[0].insert(told[0].end(), bytes.begin(), bytes.end());
    }
    const std::vector<std::vector<std::byte>> heard = job_.comm.all_to_all(told);
    agree_on(job_.comm, [&] {
      if (job_.comm.rank() != 0) return;
      for (const std::vector<std::byte>& bytes : heard) {
        std::size_t at = 0;
        for (std::vector<PltRange>& ranges : ranges_) {
          for (PltRange& range : ranges) {
            PltRange other;
            std::memcpy(&other, bytes.data() + at, sizeof other);
            range.add(other);
            at += sizeof other;
          }
        }
      }
      for (std::size_t b = 0; b < parts_.size(); ++b) write_heads(b);
      shared_->close();
      file_->finish();
      job_.count(written_, path_, layout_->bytes());
    });
  }

  void write_heads(std::size_t b) {
    const std::span<const PltRange> ranges(ranges_[b]);
    const std::size_t variables = parts_[b].on_nodes.size() + parts_[b].on_cells.size();
    for (std::size_t step = 0; step < job_.steps.size(); ++step) {
      std::vector<PltRange> here;
      if (step == 0) here.assign(ranges.begin(), ranges.begin() + PltLayout::kCoordinates);
      const auto own = ranges.subspan(PltLayout::kCoordinates + step * variables, variables);
      here.insert(here.end(), own.begin(), own.end());
      shared_->write_at(layout_->zone_address(b, step), layout_->zone_head(b, step, here));
    }
  }

  const Job& job_;
  const StepSource& source_;
  DataType coordinates_;
  std::string path_;
  std::vector<PltPart> parts_;
  std::optional<PltLayout> layout_;
  std::vector<std::vector<PltRange>> ranges_;   // of every part: X, Y, Z, then [step][variable]
  std::unique_ptr<PartFile> file_;              // rank 0's
  std::unique_ptr<storage::ByteStore> shared_;  // every rank's, once there is a header
  std::vector<std::byte> compact_;
  Written written_;
};

}  // namespace

Written convert_to_tecplot(const Job& job) { return TecplotConversion(job).run(); }

}  // namespace weft::convert
