// weft/reading/foreign_series.hpp - the steps in an HDF5 file that Weft did not write, as if they were a Weft series.
//
// Every convention of survey/known_axes.hpp. Fields that have the same steps and the same times are one series; of
// several the one that holds most bytes is taken, unless a dataset is named. A field has the last name of its dataset
// ("V" of /VTKHDF/PointData/V), or as much of the path as tells it from the others ("fields/E/x" of openPMD's
// /data/%T/fields/E/x). Its axes are the step, then places, then components, whatever their order in the file.
//
// Reads metadata, and the times. Not collective.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "weft/reading/axis_order.hpp"
#include "weft/reading/value_coding.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/survey/known_axes.hpp"

#pragma GCC visibility push(default)

namespace weft::reading {

struct SeriesChoice {
  std::string dataset{};              // the only field, or a step of it; "" for the largest series with all its fields
  std::optional<std::string> time{};  // the dataset of its times; else as the file's convention has it
  std::string axes{};                 // of the dataset, as in "z,y,x,time"; else as the file's convention has it
};

// How the elements of a dataset become values of a field.
struct Decoding {
  survey::Form form = survey::Form::plain;
  Shape seen{};       // the dataset's shape as survey/known_axes.hpp sees it
  AxisOrder order{};  // of the axes that it is seen with
  ValueCoding values{};
  bool may_be_cut = false;  // axis 0 may be shorter than seen: Weft cuts a series behind its last step
};

struct ForeignSeries {
  storage::SeriesCatalog catalog;   // the places of chunks are not known
  std::vector<Decoding> decodings;  // one a field; that of the time is not used
  std::vector<storage::RegularGrid>
      grids;                  // one a field, without extents where it stands on none; catalog.grid is the largest
  std::vector<double> times;  // one a step, in catalog.fields[0].units; its number where none are recorded
  survey::Convention convention = survey::Convention::assumed;
  std::vector<std::string> left_out;  // datasets that are in the file and not in the series, each with the reason
};

// Throws Error(system) or Error(data) where the file cannot be opened or holds no steps, Error(usage) where what is
// named is not there or does not fit.
ForeignSeries find_series(const std::string& path, const SeriesChoice& choice = {});

}  // namespace weft::reading

#pragma GCC visibility pop
