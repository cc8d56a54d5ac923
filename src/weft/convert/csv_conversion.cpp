// A series as text: NAME_0007.csv has a line for every node at step 7, NAME_cells_0007.csv one for every cell, and
// NAME_steps.csv one for every step, with its time and what has one value a step.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "weft/convert/csv_text.hpp"
#include "weft/convert/job.hpp"
#include "weft/convert/part_file.hpp"
#include "weft/convert/piece_reader.hpp"
#include "weft/convert/value_text.hpp"

namespace weft::convert {

namespace {

using storage::Support;
using view::ViewField;

constexpr std::uint64_t kTextAtOnce = 1 << 18;
constexpr std::uint64_t kPlacesAtOnce = 1 << 16;

void append(std::string_view text, fmt::memory_buffer& to) { to.append(text.data(), text.data() + text.size()); }

// A file written through one piece of memory.
class TextFile {
 public:
  explicit TextFile(const std::string& path) : file_(path) {}
  fmt::memory_buffer& text() { return text_; }
  void flush(std::uint64_t from = kTextAtOnce) {
    if (text_.size() < from) return;
    file_.store().write_at(written_, std::as_bytes(std::span(text_.data(), text_.size())));
    written_ += text_.size();
    text_.clear();
  }
  std::uint64_t finish() {
    flush(0);
    file_.finish();
    return written_;
  }

 private:
  PartFile file_;
  fmt::memory_buffer text_;
  std::uint64_t written_ = 0;
};

// What every line begins with, the same at every step: made once.
struct LineStarts {
  std::vector<std::string> names;
  fmt::memory_buffer text;
  std::vector<std::uint64_t> ends;

  std::string_view of(std::uint64_t line) const {
    const std::uint64_t begin = line == 0 ? 0 : ends[line - 1];
    return {text.data() + begin, ends[line] - begin};
  }
  std::uint64_t bytes() const { return text.size() + ends.size() * sizeof(std::uint64_t); }
};

class CsvConversion {
 public:
  explicit CsvConversion(const Job& job)
      : job_(job),
        source_(job.source),
        mine_(partition::even_block(job.steps.size(), job.comm.rank(), job.comm.size())) {}

  Written run() {
    agree_on(job_.comm, [&] {
      for (std::size_t b = 0; b < source_.view().blocks.size(); ++b) {
        for (const Support support : {Support::nodes, Support::cells}) write_block(b, support);
      }
      if (job_.comm.rank() == 0) write_steps();
    });
    const std::string steps = job_.path_of(job_.name + "_steps.csv");
    if (written_.open.empty()) {
      written_.open = steps;
    } else {
      written_.further.push_back(steps);
    }
    return written_;
  }

 private:
  std::string file_of(std::size_t b, Support support, std::uint64_t step) const {
    return job_.path_of(fmt::format("{}{}_{}.csv", job_.name_of_block(b), support == Support::cells ? "_cells" : "",
                                    job_.number(step)));
  }

  void write_block(std::size_t b, Support support) {
    const view::Block& block = source_.view().blocks[b];
    const std::size_t lead = block.grid ? block.grid->shape.size() : 1;
    std::vector<ViewField> fields = split_components(block.fields, lead);
    std::erase_if(fields, [&](const ViewField& field) { return field.support != support; });
    if (fields.empty()) return;
    const std::string first = file_of(b, support, job_.steps[0]);
    if (written_.open.empty()) {
      written_.open = first;
    } else {
      written_.further.push_back(first);
    }
    if (mine_.count == 0) return;
    const std::uint64_t lines = block.grid                  ? element_count(block.grid->shape)
                                : support == Support::cells ? block.unstructured->cells
                                                            : block.unstructured->points;
    const LineStarts starts = line_starts(block, support, lines);
    const std::vector<DataType> types = types_of(fields);
    PieceReader reader(source_, fields, group_fields(fields, lead), {nullptr, lines, lines}, types);
    const std::uint64_t most =
        steps_that_fit(job_, starts.bytes() + 2 * kTextAtOnce, reader.bytes_a_step(), "one step and its lines");
    std::vector<std::string> names = starts.names;
    for (const ViewField& field : fields) names.push_back(csv_name(field.name, field.units));
    const auto steps = std::span(job_.steps).subspan(mine_.first, mine_.count);
    for (const StepWindow& window : reader.windows(steps, most)) {
      const auto chosen = steps.subspan(window.first, window.count);
      reader.read(chosen);
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        const std::string path = file_of(b, support, chosen[i]);
        TextFile file(path);
        append(csv_line(names), file.text());
        std::vector<PieceReader::Rows> columns;
        for (std::size_t f = 0; f < fields.size(); ++f) columns.push_back(reader.rows(f, i));
        write_lines(file, starts, columns, types);
        job_.count(written_, path, file.finish());
        if (b == 0 && support == Support::nodes) job_.tell(window.first + i + 1, steps.size());
      }
    }
  }

  std::vector<DataType> types_of(std::span<const ViewField> fields) const {
    std::vector<DataType> types;
    for (const ViewField& field : fields) types.push_back(written_type(field.type, job_.conversion.precision));
    return types;
  }

  static void write_lines(TextFile& file, const LineStarts& starts, std::span<const PieceReader::Rows> columns,
                          std::span<const DataType> types) {
    for (std::uint64_t line = 0; line < starts.ends.size(); ++line) {
      append(starts.of(line), file.text());
      for (std::size_t f = 0; f < columns.size(); ++f) {
        const auto& [column, points] = columns[f];
        file.text().push_back(',');
        if (line >= points) {
          append("nan", file.text());
          continue;
        }
        const std::byte* at = column.data + (line * column.width + column.first) * size_of(column.type);
        if (types[f] == column.type) {
          append_value(column.type, at, file.text());
        } else {
          double value = 0;
          std::memcpy(&value, at, sizeof value);
          fmt::format_to(std::back_inserter(file.text()), "{}", static_cast<float>(value));
        }
      }
      file.text().push_back('\n');
      file.flush();
    }
  }

  // Where a node is, or its number; of a cell the number.
  LineStarts line_starts(const view::Block& block, Support support, std::uint64_t lines) const {
    LineStarts starts;
    starts.ends.reserve(lines);
    const bool numbers = support == Support::cells || !source_.has_places();
    starts.names = numbers ? std::vector<std::string>{support == Support::cells ? "cell" : "node"}
                           : std::vector<std::string>{"x", "y", "z"};
    std::vector<double> places;
    for (std::uint64_t line = 0; line < lines; ++line) {
      if (numbers) {
        fmt::format_to(std::back_inserter(starts.text), "{}", line);
      } else {
        if (line % kPlacesAtOnce == 0) places = source_.places(block, line, std::min(kPlacesAtOnce, lines - line));
        const double* at = places.data() + 3 * (line % kPlacesAtOnce);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          if (axis > 0) starts.text.push_back(',');
          if (job_.conversion.precision == Precision::float32) {
            fmt::format_to(std::back_inserter(starts.text), "{}", static_cast<float>(at[axis]));
          } else {
            fmt::format_to(std::back_inserter(starts.text), "{}", at[axis]);
          }
        }
      }
      starts.ends.push_back(starts.text.size());
    }
    return starts;
  }

  // Rank 0's.
  void write_steps() {
    const std::span<const ViewField> globals = source_.view().globals;
    PieceReader reader(source_, globals, group_fields(globals, 0), {}, types_of(globals));
    std::vector<std::string> names{"step", csv_name("time", source_.time_units())};
    for (const ViewField& field : globals) {
      for (std::uint64_t i = 0; i < field.points; ++i) {
        names.push_back(csv_name(field.points == 1 ? field.name : fmt::format("{}_{}", field.name, i), field.units));
      }
    }
    const std::string path = job_.path_of(job_.name + "_steps.csv");
    TextFile file(path);
    append(csv_line(names), file.text());
    for (const std::uint64_t step : job_.steps) {
      reader.read(std::span(&step, 1));
      fmt::format_to(std::back_inserter(file.text()), "{},{}", step, source_.times()[step]);
      for (std::size_t g = 0; g < globals.size(); ++g) {
        file.text().push_back(',');
        append(values_text(written_type(globals[g].type, job_.conversion.precision), reader.column(g, 0), ","),
               file.text());
      }
      file.text().push_back('\n');
      file.flush();
    }
    job_.count(written_, path, file.finish());
  }

  const Job& job_;
  const StepSource& source_;
  partition::Block mine_;  // of the chosen steps
  Written written_;
};

}  // namespace

Written convert_to_csv(const Job& job) { return CsvConversion(job).run(); }

}  // namespace weft::convert
