// weft/view/vtkhdf.hpp - a view written down as VTKHDF 2, the format of VTK and ParaView for temporal data.
//
// The group /VTKHDF has the mesh by hard links, every field component as one virtual dataset [step * point] over the
// data, and under Steps where each step begins. The mesh is static: its offsets are 0 at every step, in datasets that
// take no space. Format: VTK's documentation, "VTKHDF format specification", version 2.0; 2.1 where there is more than
// one block (a PartitionedDataSetCollection).
//
// Space: a few hundred bytes an object, and 8 bytes a step for every distinct number of values in a step.
#pragma once

#include "weft/storage/object_plan.hpp"
#include "weft/view/view.hpp"

namespace weft::view {

// The objects of /VTKHDF, which must not be there yet. Empty where there is nothing to show (no mesh, or no steps).
storage::ObjectPlan vtkhdf_objects(const View& view);

}  // namespace weft::view
