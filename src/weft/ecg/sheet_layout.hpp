// weft/ecg/sheet_layout.hpp - where everything goes on the paper of an electrocardiogram: arithmetic, no drawing.
//
// All twelve leads make the usual sheet, three rows of four columns and lead II along the bottom:
//
//   I   aVR V1 V4
//   II  aVL V2 V5
//   III aVF V3 V6
//   II
//
// Anything else makes one strip a signal. Time runs at 25 mm/s. A recording shorter than 10 s begins in every column,
// which shows 2.5 s at most (what columns show is recorded at the same time); of a longer one each column shows its
// quarter of the first 10 s, as recorders print it. The long strips show 10 s at most. 1 mV is 10 mm where the unit is
// mV or V and the rows stay below 40 mm; else the gain is the largest of 1, 2, 5, 10 ... mm a unit that fits.
//
// All places are in mm from the sheet's upper left corner, y downwards. Invariants: rows are whole 5 mm squares, every
// line lies within its row, and no two rows share a square.
//
// Example: 450 ms of twelve leads are 11.25 mm in columns of 25 mm, on a sheet 130 mm wide.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "weft/ecg/ecg.hpp"

namespace weft::ecg {

struct SheetPoint {
  double x = 0;
  double y = 0;
};

using Polyline = std::vector<SheetPoint>;

struct SheetTrace {
  std::string name;             // of the lead, as it is printed: "aVR"
  SheetPoint label;             // where the name's baseline begins
  std::vector<Polyline> lines;  // more than one where values are missing (NaN); none of less than two places
};

struct Sheet {
  double width = 0;
  double height = 0;
  SheetPoint grid;  // the upper left corner of the squared paper, whose sides are whole 5 mm
  double grid_width = 0;
  double grid_height = 0;
  double gain = 0;  // mm a unit
  std::vector<SheetTrace> traces;
  std::vector<Polyline> pulses;  // of calibration, one a row: 200 ms and 10 mm
  std::vector<Polyline> ticks;   // where one column's time ends and the next one's begins
  SheetPoint footer;             // where its baseline begins; the notes stand in the line below
  std::string scale;             // "25 mm/s  10 mm/mV  heart.h5"
  std::string notes;             // what else a reader has to know; may be empty
};

struct SheetSpec {
  std::string file;   // what the footer calls the recording
  std::string units;  // of the values; empty where they are in none, as a pseudo-ECG's
};

// Throws Error(data) where there is no step, and Error(usage) where there are more strips than a sheet holds.
Sheet lay_out_sheet(const Ecg& ecg, const SheetSpec& spec);

}  // namespace weft::ecg
