// weft/convert/step_source.hpp - what is converted: a view of a file, and the values it shows.
//
// What a viewer sees is what is converted: the source is a view (view/view.hpp) with only the chosen fields, and reads
// its values by steps and rows. Reads are not collective and do not communicate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/convert/field_groups.hpp"
#include "weft/convert/step_range.hpp"
#include "weft/reading/foreign_series.hpp"
#include "weft/support/communicator.hpp"
#include "weft/view/view.hpp"

#pragma GCC visibility push(default)

namespace weft::convert {

// `count` rows of a group from `first` on.
struct RowRange {
  std::uint64_t first;
  std::uint64_t count;
  bool operator==(const RowRange&) const = default;
};

// How a group's data are divided in the file; 1 x 1 where they are not.
struct ChunkShape {
  std::uint64_t steps = 1;
  std::uint64_t rows = 1;
};

class StepSource {
 public:
  virtual ~StepSource() = default;

  const view::View& view() const { return view_; }
  const std::vector<double>& times() const { return times_; }  // one a step
  const std::string& time_units() const { return time_units_; }
  // False where nothing is known of where the nodes are: the view is then a grid of one axis, for their number.
  bool has_places() const { return has_places_; }
  // A gap between two wanted pieces of the file that is better read than skipped.
  virtual std::uint64_t bridge_bytes() const = 0;
  virtual ChunkShape chunk_of(const FieldGroup& group) const = 0;

  // Fills `values` with [step][row][point of the row][component] of the first range, then of the next one.
  void read(const FieldGroup& group, std::span<const StepRun> steps, std::span<const RowRange> rows,
            std::span<std::byte> values) const;

  // x, y, z of points [first, first + count) of a block, on its mesh or grid.
  std::vector<double> places(const view::Block& block, std::uint64_t first, std::uint64_t count) const;

  // Elements [first, first + count) of an array of the view's mesh, flattened.
  template <typename T>
  std::vector<T> mesh(const std::string& path, std::uint64_t first, std::uint64_t count) const {
    std::vector<T> values(count);
    if (count > 0) mesh_bytes(path, first * sizeof(T), std::as_writable_bytes(std::span(values)));
    return values;
  }

 protected:
  struct Part {
    const view::Stretch* stretch;
    Box box;  // of the stretch's dataset
  };
  virtual void read_parts(std::span<const Part> parts, std::span<std::byte> values) const = 0;
  // Of an array that the view has not itself among its mesh_objects.
  virtual void stored_mesh_bytes(const std::string& path, std::uint64_t offset, std::span<std::byte> values) const = 0;

  // Keeps only the fields named, all where none is; Error(usage) naming what there is for a name that is unknown.
  // `whole_fields` are names of datasets whose components the view shows apart: {name, dataset}.
  struct Alias {
    std::string name;
    std::string dataset;
  };
  void choose(const std::string& path, std::span<const std::string> names, std::span<const Alias> whole_fields);

  view::View view_;
  std::vector<double> times_;
  std::string time_units_;
  bool has_places_ = true;

 private:
  void mesh_bytes(const std::string& path, std::uint64_t offset, std::span<std::byte> values) const;
};

struct SourceFile {
  std::string path;                // FILE or FILE:DATASET
  reading::SeriesChoice choice{};  // what a file that Weft did not write does not say itself
  std::string mesh{};              // a .vtu file; empty: the file's own mesh or grid
};

// The committed steps of a file, whoever wrote it. Without a mesh the fields on its nodes are shown as on a line where
// `without_places`, else Error(usage). Collective; throws agreed errors.
std::unique_ptr<StepSource> open_series_source(Communicator& comm, const SourceFile& file,
                                               std::span<const std::string> fields, bool without_places);

}  // namespace weft::convert

#pragma GCC visibility pop
