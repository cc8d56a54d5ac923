// weft/series/file_plan.hpp - from what a simulation says of its series to what the file will hold. No file is touched.
#pragma once

#include <vector>

#include "weft/series/series_spec.hpp"
#include "weft/support/communicator.hpp"

namespace weft::series {

// Elements of one node: {N, 2, 3} has 6.
std::uint64_t row_elements(const Shape& per_step);

// Of how many leading axes of its steps a field's nodes are numbered; 0 where it is global.
std::size_t node_axes_of(const FieldSpec& field, const storage::RegularGrid& grid);

// On which of the nodes each field stands: known to all ranks afterwards. Collective.
std::vector<storage::Subset> subsets_of(Communicator& comm, const std::vector<FieldSpec>& fields);

// What the fields with filters may take: a window holds their chunks whole.
struct FilteredWindow {
  std::uint64_t bytes = 0;       // of a window, on a rank; 0 where no field has filters
  std::uint64_t step_bytes = 0;  // of a step, on the rank that holds most
};
// Collective.
FilteredWindow filtered_window(Communicator& comm, const SeriesSpec& spec);

// What a file at this path is aligned to where `asked` is SeriesSpec::align_bytes; 0: to nothing. An empty path
// says nothing of the file system. Not collective.
std::uint64_t alignment_at(const std::string& path, std::uint64_t asked);
// The alignment that the field's chunks are designed for. One that was not asked for is left out where it is larger
// than a chunk may be; there is then room between chunks.
std::uint64_t alignment_for(const FieldSpec& field, std::uint64_t asked, std::uint64_t align_bytes);

// Chunks are chosen here, those of filtered fields so that they fit `window`; `fixed_arrays` are those of the mesh,
// the subsets and the observers; `align_bytes` as alignment_at() says. Throws Error(usage).
storage::FilePlan plan_file(const SeriesSpec& spec, std::uint64_t align_bytes, int ranks,
                            std::vector<storage::FixedArrayPlan> fixed_arrays,
                            const std::vector<storage::Subset>& subsets, const FilteredWindow& window);

}  // namespace weft::series
