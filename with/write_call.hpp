// with/write_call.hpp - a call of H5Dwrite(), and whether it writes a step that may wait.
#pragma once

#include <optional>

#include "with/dataset.hpp"
#include "with/step_window.hpp"

namespace weft::with {

struct WriteCall {
  hid_t dataset;
  hid_t memory_type;
  hid_t memory_space;
  hid_t file_space;
  hid_t transfer;
  const void* values;
  double** seconds = nullptr;  // where the time goes that the call takes, if it passes through and is to be timed
};

// A list of transfer properties as they are by default, independent or collective; ours, and never closed. -1 where it
// cannot be made.
hid_t transfer_list(Library& library, bool collective);

// Whether a call with this transfer list is collective.
bool is_collective(Library& library, hid_t transfer);

// The step that a call writes, or nothing, of a rank that selects nothing; nullopt where it is none that may wait: not
// one index thick along an axis, or no box; values with addresses in them, or changed on their way; what HDF5 would
// refuse.
std::optional<Step> step_of(Library& library, const OpenDataset& dataset, const WriteCall& call);

// Copies the values of a step to where they wait. False where HDF5 could not collect them.
bool copy_step(Library& library, const WriteCall& call, const Step& step, StepWindow& window);

}  // namespace weft::with
