#include "weft/convert/piece_reader.hpp"

#include <algorithm>

namespace weft::convert {

PieceReader::PieceReader(const StepSource& source, std::span<const view::ViewField> fields,
                         std::vector<FieldGroup> groups, Extent extent, std::vector<DataType> types)
    : source_(source),
      fields_(fields),
      groups_(std::move(groups)),
      extent_(extent),
      types_(std::move(types)),
      places_(fields.size()),
      window_(groups_.size()) {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const FieldGroup& group = groups_[g];
    ranges_.push_back(ranges_of(group));
    for (const RowRange& range : ranges_.back()) bytes_a_step_ += range.count * group.row_bytes();
    for (const Column& column : group.columns) {
      places_[column.field] = {g, column.first};
      const std::uint64_t points = group.support == storage::Support::cells   ? extent_.cells
                                   : group.support == storage::Support::nodes ? extent_.nodes
                                                                              : group.width;
      column_bytes_ =
          std::max(column_bytes_, points * fields_[column.field].components * size_of(types_[column.field]));
    }
  }
}

std::vector<RowRange> PieceReader::ranges_of(const FieldGroup& group) const {
  if (group.support == storage::Support::global) return {{0, 1}};
  if (extent_.piece == nullptr) {
    const RowRange& wanted = group.support == storage::Support::cells ? extent_.cell_rows : extent_.node_rows;
    const std::uint64_t first = std::min(wanted.first, group.rows);
    return {{first, std::min(wanted.count, group.rows - first)}};
  }
  if (group.support == storage::Support::cells) return {{extent_.piece->cells.first, extent_.piece->cells.count}};
  const std::vector<std::int64_t>& nodes = extent_.piece->nodes;
  const auto end = std::lower_bound(nodes.begin(), nodes.end(), static_cast<std::int64_t>(group.rows));
  return row_ranges(std::span(nodes.begin(), end), source_.bridge_bytes() / group.row_bytes());
}

std::vector<StepWindow> PieceReader::windows(std::span<const std::uint64_t> steps, std::uint64_t most) const {
  const auto largest = std::max_element(groups_.begin(), groups_.end(), [](const FieldGroup& a, const FieldGroup& b) {
    return a.rows * a.row_bytes() < b.rows * b.row_bytes();
  });
  if (largest == groups_.end()) return step_windows(steps, most, [](std::uint64_t) { return 0; });
  const std::uint64_t chunk = source_.chunk_of(*largest).steps;
  return step_windows(steps, most, [&](std::uint64_t step) {
    std::uint64_t before = 0;  // chunks of the stretches before
    for (const view::Stretch& stretch : largest->stretches) {
      if (step < stretch.box.count[0]) break;
      step -= stretch.box.count[0];
      before += ceil_div(stretch.box.count[0], chunk);
    }
    return before + step / chunk;
  });
}

void PieceReader::read(std::span<const std::uint64_t> steps) {
  steps_ = steps.size();
  const std::vector<StepRun> runs = step_runs({steps.begin(), steps.end()});
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    std::uint64_t rows = 0;
    for (const RowRange& range : ranges_[g]) rows += range.count;
    const std::uint64_t bytes = rows * steps_ * groups_[g].row_bytes();
    if (window_[g].size() < bytes) {
      window_[g] = {};  // before the longer one is there
      window_[g] = make_values<std::byte>(bytes);
    }
    source_.read(groups_[g], runs, ranges_[g], std::span(window_[g]).first(bytes));
  }
}

PieceReader::Rows PieceReader::rows(std::size_t field, std::size_t step) const {
  const auto [g, first] = places_[field];
  const FieldGroup& group = groups_[g];
  const std::uint64_t rows = ranges_[g][0].count;
  return {
      {group.type, window_[g].data() + step * rows * group.row_bytes(), group.width, first, fields_[field].components},
      rows * group.row_points};
}

std::span<const std::byte> PieceReader::column(std::size_t field, std::size_t step) {
  const auto [g, first] = places_[field];
  const FieldGroup& group = groups_[g];
  const DataType as = types_[field];
  if (group.support == storage::Support::global) {
    const ColumnView all{group.type, window_[g].data() + step * group.row_bytes(), group.width, 0, group.width};
    column_.resize(group.width * size_of(as));
    copy_column(all, as, column_);
    return column_;
  }
  const std::uint64_t components = fields_[field].components;
  const std::uint64_t point_bytes = components * size_of(as);
  const bool on_cells = group.support == storage::Support::cells;
  const std::uint64_t points = on_cells ? extent_.cells : extent_.nodes;
  const std::vector<RowRange>& ranges = ranges_[g];
  const bool by_number = extent_.piece != nullptr && !on_cells;
  const std::span<const std::int64_t> nodes =
      by_number ? std::span<const std::int64_t>(extent_.piece->nodes) : std::span<const std::int64_t>();

  // What was read is what is written: no copy.
  if (as == group.type && group.width == components && ranges.size() == 1 &&
      ranges[0].count * group.row_points == points) {
    const std::uint64_t bytes = ranges[0].count * group.row_bytes();
    return std::span(window_[g]).subspan(step * bytes, bytes);
  }
  if (column_.size() < points * point_bytes) column_ = make_values<std::byte>(column_bytes_);
  const std::span<std::byte> result = std::span(column_).first(points * point_bytes);
  std::uint64_t done = 0;    // points
  std::uint64_t before = 0;  // rows of the ranges before, in all steps
  for (const RowRange& range : ranges) {
    const ColumnView view{group.type, window_[g].data() + (before + step * range.count) * group.row_bytes(),
                          group.width, first, components};
    std::uint64_t count = range.count * group.row_points;
    if (by_number) {
      const auto begin = nodes.begin() + static_cast<std::ptrdiff_t>(done);
      const auto end = std::lower_bound(begin, nodes.end(), static_cast<std::int64_t>(range.first + range.count));
      count = static_cast<std::uint64_t>(end - begin);
    }
    const std::span<std::byte> to = result.subspan(done * point_bytes, count * point_bytes);
    if (by_number && count < range.count) {
      copy_column(view, as, nodes.subspan(done, count), static_cast<std::int64_t>(range.first), to);
    } else {
      copy_column(view, as, to);
    }
    done += count;
    before += range.count * steps_;
  }
  fill_missing(as, result.subspan(done * point_bytes));
  return result;
}

}  // namespace weft::convert
