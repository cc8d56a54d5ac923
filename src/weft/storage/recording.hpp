// weft/storage/recording.hpp - the steps in an HDF5 file that Weft did not write: which dataset, of what shape, at what
// times.
//
// Recognised without being told: /Data, else the largest numeric dataset of two axes or more at the top of the file;
// times from DATASET_Unlimited or /Time (Chaste), /time (Weft and many), if they have one value a step; names of the
// last axis from the attribute "Variable Details" (Chaste: "V(mV)"). Whatever is named by the caller goes first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/support/data_type.hpp"
#include "weft/support/shape.hpp"

namespace weft::storage {

struct Variable {
  std::string name;
  std::string units;
};

struct Recording {
  std::string file;
  std::string dataset;  // with its slash
  DataType type = DataType::float64;
  Shape shape;
  std::vector<double> times;        // one a step, taken to be axis 0; the step's number where none are recorded
  std::string time_units{};         // from the times' attribute "Unit" or "units"
  std::vector<Variable> variables;  // one for each element of the last axis, or none
};

// Chaste's names of the last axis of a dataset, one for each of its `count` elements; nothing where there are none or
// another number of them.
std::vector<Variable> chaste_variables(hid_t dataset, std::uint64_t count);
// The units a dataset of times says it has, by its attribute "units" or "Unit"; "" where it says none.
std::string time_units_of(hid_t times);

// FILE of FILE:DATASET, or all of it: a colon may be part of a file's name, and divides where that is no HDF5 file. Not
// collective.
std::string file_of_recording(const std::string& from);
// `from` is FILE or FILE:DATASET. `time` names the dataset of the times. Throws Error(system) or Error(data) where the
// file or what is named in it cannot be opened, or holds what Weft has no type for. Not collective.
Recording find_recording(const std::string& from, const std::optional<std::string>& time = std::nullopt);

// The file, for reading; Error(data) where it is not HDF5.
Handle open_recording(const std::string& file);

}  // namespace weft::storage
