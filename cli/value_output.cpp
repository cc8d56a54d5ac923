#include "cli/value_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/json_text.hpp"
#include "cli/text_table.hpp"
#include "weft/convert/csv_text.hpp"
#include "weft/support/error.hpp"

namespace weft::cli {

namespace {

constexpr std::uint64_t kMostColumns = 16;

// Standard output, in large portions; a full disk behind it is an error like any other.
class Output {
 public:
  fmt::memory_buffer& buffer() { return buffer_; }
  void flush_if_long() {
    if (buffer_.size() >= (1U << 20)) flush();
  }
  void flush() {
    if (std::fwrite(buffer_.data(), 1, buffer_.size(), stdout) != buffer_.size() || std::fflush(stdout) != 0) {
      throw system_error("standard output", "cannot write", errno);
    }
    buffer_.clear();
  }

 private:
  fmt::memory_buffer buffer_;
};

void append(fmt::memory_buffer& buffer, std::string_view text) {
  buffer.append(text.data(), text.data() + text.size());
}

template <typename T>
void append_exact(fmt::memory_buffer& buffer, T value) {
  const std::size_t begin = buffer.size();
  fmt::format_to(fmt::appender(buffer), "{}", value);
  if constexpr (std::is_floating_point_v<T>) {
    const std::string_view text(buffer.data() + begin, buffer.size() - begin);
    if (text.find_first_of(".einf") == std::string_view::npos) append(buffer, ".0");
  }
}

template <typename T>
void append_json(fmt::memory_buffer& buffer, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) return append(buffer, "null");
  }
  append_exact(buffer, value);
}

template <typename T>
std::string for_people(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return fmt::format("{:.7g}", value);
  } else {
    return fmt::format("{}", value);
  }
}

template <typename T>
T value_at(const ReadValues& values, std::uint64_t number) {
  T value;
  std::memcpy(&value, values.bytes.data() + number * sizeof(T), sizeof(T));
  return value;
}

// How the array becomes rows and columns.
struct Table {
  std::vector<std::string> header;
  std::vector<std::size_t> index_axes;  // the axes whose index has a column; axis 0 brings the time with it
  std::uint64_t rows;
  std::uint64_t columns;  // values in a row
};

// The axes that say which node: those behind the step, of a dataset of `rank` axes.
std::size_t place_axes(const storage::FieldEntry& field, std::size_t rank) {
  return std::min(rank - 1, std::max<std::size_t>(1, field.node_axes));
}

std::string name_of_axis(const storage::FieldEntry& field, std::size_t axis) {
  if (field.node_axes > 1 && field.node_axes <= 3 && axis <= field.node_axes) {
    return std::string("zyx").substr(3 - field.node_axes + axis - 1, 1);
  }
  if (axis == 1) return field.support == storage::Support::cells ? "cell" : "node";
  return fmt::format("index{}", axis);
}

Table table_of(const ReadValues& values) {
  const Shape& count = values.box.count;
  const std::size_t rank = count.size();
  const std::size_t places = place_axes(values.field, rank);
  const bool components = rank == places + 2 && count.back() <= kMostColumns;
  const std::size_t row_axes = components ? rank - 1 : rank;
  Table table{{}, {}, 1, components ? count.back() : 1};
  for (std::size_t axis = 0; axis < row_axes; ++axis) {
    table.rows *= count[axis];
    if (axis == 0 && values.selection == Selection::snapshot && rank > 1) continue;
    if (axis >= 1 && axis <= places && values.selection == Selection::trace) continue;
    table.index_axes.push_back(axis);
    if (axis == 0) {
      table.header.insert(table.header.end(), {"step", "time"});
    } else {
      table.header.push_back(name_of_axis(values.field, axis));
    }
  }
  if (!components) {
    table.header.push_back(values.field.name);
    return table;
  }
  for (std::uint64_t c = 0; c < count.back(); ++c) {
    table.header.push_back(fmt::format("{}[{}]", values.field.name, values.box.start.back() + c));
  }
  return table;
}

// The indices of `row` along the axes that have a column, relative to the box.
Shape indices_of(const ReadValues& values, const Table& table, std::uint64_t row) {
  Shape indices(values.box.count.size());
  std::uint64_t rest = row * table.columns;
  for (std::size_t axis = indices.size(); axis-- > 0;) {
    indices[axis] = rest % values.box.count[axis];
    rest /= values.box.count[axis];
  }
  return indices;
}

template <typename T>
std::vector<std::string> cells_of(const ReadValues& values, const Table& table, std::uint64_t row) {
  std::vector<std::string> cells;
  const Shape indices = indices_of(values, table, row);
  for (const std::size_t axis : table.index_axes) {
    cells.push_back(fmt::format("{}", values.box.start[axis] + indices[axis]));
    if (axis == 0) cells.push_back(for_people(values.times[indices[0]]));
  }
  for (std::uint64_t c = 0; c < table.columns; ++c) {
    cells.push_back(for_people(value_at<T>(values, row * table.columns + c)));
  }
  return cells;
}

}  // namespace

Shape shown_shape(const ReadValues& values) {
  Shape shape = values.box.count;
  if (shape.size() > 1 && values.selection == Selection::trace) {
    const auto places = static_cast<std::ptrdiff_t>(place_axes(values.field, shape.size()));
    shape.erase(shape.begin() + 1, shape.begin() + 1 + places);
  }
  if (values.selection == Selection::snapshot) shape.erase(shape.begin());
  return shape;
}

void print_table(const ReadValues& values, std::size_t most_rows) {
  const Table table = table_of(values);
  const std::uint64_t head = table.rows <= most_rows ? table.rows : most_rows * 2 / 3;
  const std::uint64_t tail = table.rows <= most_rows ? 0 : most_rows - head;
  std::vector<std::vector<std::string>> rows{table.header};
  with_type(values.field.type, [&]<typename T>(T) {
    for (std::uint64_t row = 0; row < head; ++row) rows.push_back(cells_of<T>(values, table, row));
    if (tail > 0) rows.emplace_back(table.header.size(), "...");
    for (std::uint64_t row = table.rows - tail; row < table.rows; ++row) {
      rows.push_back(cells_of<T>(values, table, row));
    }
  });
  Output output;
  append(output.buffer(), text_table(rows, 0));
  output.flush();
}

void print_csv(const ReadValues& values) {
  const Table table = table_of(values);
  Output output;
  fmt::memory_buffer& buffer = output.buffer();
  std::vector<std::string> names;
  for (const std::string& name : table.header) names.push_back(convert::csv_name(name));
  append(buffer, convert::csv_line(names));
  with_type(values.field.type, [&]<typename T>(T) {
    for (std::uint64_t row = 0; row < table.rows; ++row) {
      const Shape indices = indices_of(values, table, row);
      for (const std::size_t axis : table.index_axes) {
        fmt::format_to(fmt::appender(buffer), "{},", values.box.start[axis] + indices[axis]);
        if (axis != 0) continue;
        append_exact(buffer, values.times[indices[0]]);
        append(buffer, ",");
      }
      for (std::uint64_t c = 0; c < table.columns; ++c) {
        append_exact(buffer, value_at<T>(values, row * table.columns + c));
        append(buffer, c + 1 < table.columns ? "," : "\n");
      }
      output.flush_if_long();
    }
  });
  output.flush();
}

void print_json(const ReadValues& values, const nlohmann::json& head) {
  const Shape shape = shown_shape(values);
  const std::uint64_t count = element_count(shape);
  Shape bracketed(shape.size());  // how many values stand between the brackets of each axis
  for (std::size_t axis = shape.size(), inner = 1; axis-- > 0;) bracketed[axis] = inner *= shape[axis];

  Output output;
  fmt::memory_buffer& buffer = output.buffer();
  std::string opening = json_text(head, -1);
  opening.pop_back();  // the closing brace
  append(buffer, opening);
  append(buffer, opening.size() > 1 ? ",\"values\":" : "\"values\":");
  with_type(values.field.type, [&]<typename T>(T) {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i > 0) append(buffer, ",");
      for (const std::uint64_t length : bracketed) {
        if (i % length == 0) append(buffer, "[");
      }
      append_json(buffer, value_at<T>(values, i));
      for (const std::uint64_t length : bracketed) {
        if ((i + 1) % length == 0) append(buffer, "]");
      }
      output.flush_if_long();
    }
  });
  append(buffer, "}\n");
  output.flush();
}

}  // namespace weft::cli
