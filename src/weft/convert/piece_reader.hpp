// weft/convert/piece_reader.hpp - the values of a piece of a mesh, window of steps by window of steps.
//
// Every group of fields is read once for all steps of a window, in the ranges of rows that the piece needs; a column is
// then put together in the order of the piece's points, as the type that is written. Points that the field does not
// have (it stands on the first nodes only) are NaN.
//
// Owns its buffers: bytes_a_step() for each step of the longest window, and one column. Refers to the source and the
// piece. Not collective.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "weft/convert/mesh_piece.hpp"
#include "weft/convert/step_source.hpp"
#include "weft/convert/step_windows.hpp"
#include "weft/convert/values.hpp"
#include "weft/support/large_memory.hpp"

namespace weft::convert {

// What to read of a block: a piece of its mesh, or some rows (of a grid, layers) of its nodes and of its cells.
struct Extent {
  const MeshPiece* piece = nullptr;
  std::uint64_t nodes = 0;  // points and cells that a column has
  std::uint64_t cells = 0;
  RowRange node_rows{0, std::numeric_limits<std::uint64_t>::max()};  // without a piece; all that a field has
  RowRange cell_rows{0, std::numeric_limits<std::uint64_t>::max()};
};

class PieceReader {
 public:
  // `types` are those in which the fields are written. The fields must outlive this.
  PieceReader(const StepSource& source, std::span<const view::ViewField> fields, std::vector<FieldGroup> groups,
              Extent extent, std::vector<DataType> types);

  std::uint64_t bytes_a_step() const { return bytes_a_step_; }
  std::uint64_t column_bytes() const { return column_bytes_; }  // of the longest
  // Windows of at most `most` steps that end where the chunks of the largest group do.
  std::vector<StepWindow> windows(std::span<const std::uint64_t> steps, std::uint64_t most) const;

  void read(std::span<const std::uint64_t> steps);
  // The values of field number `field` at the step that is the window's number `step`: [point][component] of the type
  // that is written, valid until the next call.
  std::span<const std::byte> column(std::size_t field, std::size_t step);
  // The same as it was read, without a piece: the field's own type, and as many points as it has.
  struct Rows {
    ColumnView column;
    std::uint64_t points;
  };
  Rows rows(std::size_t field, std::size_t step) const;

 private:
  struct GroupRow {
    std::size_t group;
    std::uint64_t first;
  };

  std::vector<RowRange> ranges_of(const FieldGroup& group) const;

  const StepSource& source_;
  std::span<const view::ViewField> fields_;
  std::vector<FieldGroup> groups_;
  Extent extent_;
  std::vector<DataType> types_;
  std::vector<GroupRow> places_;               // of every field
  std::vector<std::vector<RowRange>> ranges_;  // of every group
  std::uint64_t bytes_a_step_ = 0;
  std::uint64_t column_bytes_ = 0;
  std::size_t steps_ = 0;                  // of the window
  std::vector<Values<std::byte>> window_;  // of every group: [range][step][row]
  Values<std::byte> column_;
};

}  // namespace weft::convert
