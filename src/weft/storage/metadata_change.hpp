// weft/storage/metadata_change.hpp - changing the metadata of a file that already holds committed steps.
//
// HDF5 changes metadata in place, in many small writes, and a crash between two of them leaves a file nothing opens. So
// HDF5 never opens the live file for writing: it works on a sparse copy that holds the metadata alone, in memory where
// they are not many (storage/scratch_file.hpp). What it changed there is then carried over: new bytes behind the end
// first, then, with the old bytes saved in FILE.weft-undo, the few that are overwritten. The undo file is removed when
// all is on the disk; where one is found, `undo_metadata_change` puts the old bytes back, if it is of this file
// (storage/undo_file.hpp).
#pragma once

#include <hdf5.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "weft/storage/chunk_room.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/storage/undo_file.hpp"

namespace weft::storage {

// What a change has made of the file, or leaves to be made of it.
struct MetadataChange {
  MetadataChange(SeriesCatalog changed) : catalog(std::move(changed)) {}  // NOLINT(google-explicit-constructor)
  MetadataChange(SeriesCatalog changed, std::vector<IndexPlan> plans)
      : catalog(std::move(changed)), indexes(std::move(plans)) {}

  SeriesCatalog catalog;           // of what the file then holds
  std::vector<IndexPlan> indexes;  // to be written when HDF5 has closed the file
};

// `change` is given the sparse copy, open for writing, and returns the catalog of what the file then holds, so that its
// data (whose bytes are not carried over) can be told from its metadata. Where it throws, the file is as it was (or
// FILE.weft-undo is there, and the line says so). Not collective; no rank may write the file meanwhile. Throws
// Error(data) where an earlier change was cut short and not undone, Error(system) where a write fails.
void change_metadata(const SeriesCatalog& catalog, const std::function<MetadataChange(hid_t file)>& change);

// Where HDF5 works, if not in memory (storage/scratch_file.hpp).
std::string rehearsal_path(const std::string& path);

// Removes what changes to an earlier file of this name may have left beside it. For whoever replaces the file.
void forget_metadata_changes(const std::string& path);

// What an interrupted change has left beside the file.
struct MetadataLeftovers {
  bool undo = false;     // FILE.weft-undo: the file has been changed in part
  bool scratch = false;  // FILE.weft-rehearsal or FILE.weft-undo.part: it has not
};
MetadataLeftovers metadata_leftovers(const std::string& path);

// What the file holds of the change that FILE.weft-undo is of. Touches nothing. Throws Error(data) where that is
// damaged or of another file.
UndoState interrupted_change(const std::string& path);

// Puts back what an interrupted change overwrote, and clears away its scratch files; says whether bytes had to be put
// back. A change that had been made to its end stays made. Throws Error(data), and touches nothing, where the undo file
// is damaged or of another file.
bool undo_metadata_change(const std::string& path);

}  // namespace weft::storage
