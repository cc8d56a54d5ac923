// weft/survey/known_axes.hpp - what the axes of a dataset mean, in files of the common conventions.
//
// Nothing in HDF5 says which axis is time. Files do, each family in its own way; where none of them applies and a
// dataset looks like steps of something, Weft's own order is assumed, and said to be. What is no series of steps (the
// points and cells of a mesh, a map, a coordinate) has no axes here.
//
//   Weft         the fields that /weft names: step, then node or cell or the grid's z, y, x, then components
//   CF           netCDF-4's dimension scales (also h5py's and xarray's): the axis whose scale is a time; where none is,
//                one without limit
//   Chaste       (step, node, variable), with "Variable Details" and DATASET_Unlimited or /Time
//   VTKHDF       grids: (step, z, y, x, ...); meshes: (steps * nodes, ...), all steps on one axis
//   openPMD      one dataset a step, /data/STEP/fields/E/x, its axes in "axisLabels"
//
// Worked: Chaste's /Data of 101x375x2 is step, node, variable; VTKHDF's /VTKHDF/PointData/V of 37875 with NSteps 101
// and offsets 0, 375, ... is seen as 101x375, step and node; openPMD's /data/40/fields/E/x of 64x64x64 as 1x64x64x64.
//
// Reads attributes and, for VTKHDF, offsets; no field data. Not collective.
#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/layout/axes.hpp"
#include "weft/support/shape.hpp"
#include "weft/survey/survey.hpp"
#include "weft/survey/variables.hpp"

#pragma GCC visibility push(default)

namespace weft::survey {

enum class Convention : std::uint8_t { weft, cf, chaste, vtkhdf, openpmd, assumed, told };

// How a dataset's own axes make up the axes it is seen with.
enum class Form : std::uint8_t {
  plain,       // axis for axis
  folded,      // steps and nodes share axis 0: (steps * nodes, ...) is seen as (steps, nodes, ...)
  one_a_step,  // every step is a dataset of its own: (...) is seen as (1, ...)
};

struct KnownAxes {
  Convention convention = Convention::assumed;
  Form form = Form::plain;
  Shape shape;  // as it is seen: DatasetFacts::shape where it is plain; the same elements in the same order always
  layout::Axes axes;                  // one for each axis of `shape`
  std::string time{};                 // the dataset of the times; "" where there is none
  std::string time_units{};           // "" where they are not said
  std::vector<Variable> variables{};  // one for each element of the last axis; or the one variable it all is
  std::string series{};  // one_a_step: the path with %T for the step, the same for all steps of this series
};

// "Weft", "CF dimension scales", "Chaste", "VTKHDF", "openPMD", "assumed", "--axes".
std::string_view name_of(Convention convention);
// For people: "step,node,variable (Chaste)".
std::string to_text(const KnownAxes& known);

// Nothing where no convention applies and the dataset does not look like steps. Throws Error(data) where the dataset
// cannot be opened.
std::optional<KnownAxes> known_axes(hid_t file, const DatasetFacts& facts);

// What a user says the axes are ("z,y,x,time"), and what the file says of times and variables beside that. For any
// dataset of an axis or more. Throws Error(usage) where the text does not fit the dataset.
KnownAxes told_axes(hid_t file, const DatasetFacts& facts, std::string_view text);

// A chunk of the dataset as it is seen, as a chunk of the dataset as it is; and back. Nothing where there is none:
// of a folded dataset a chunk holds whole steps or a part of one, and a part must divide the step.
std::optional<Shape> chunk_in_file(const KnownAxes& known, const Shape& seen);
std::optional<Shape> chunk_as_seen(const KnownAxes& known, const Shape& in_file);

}  // namespace weft::survey

#pragma GCC visibility pop
