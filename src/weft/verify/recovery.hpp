// weft/verify/recovery.hpp - puts a Weft file right after a crash: nothing that was committed is lost, and nothing else
// is shown.
//
// What is done, in this order, where it is needed:
//   0. The lock of a writer that has died is taken over, and is gone afterwards.
//   1. A change of metadata that was cut short is undone (storage/metadata_change.hpp), or its scratch files removed
//      and the room it had asked for given back. So is the part of a file that was being made in its place.
//   2. The mark that a killed program left by which HDF5 opens the file for nobody is taken away, if all that a Weft
//      file needs is there behind it.
//   3. The series ends with its committed steps, as if it had been closed then; the view shows these.
//   4. The view is made anew where it shows other steps than there are.
// A file that died before its mesh was whole holds nothing to recover, and is refused.
// Each is safe against another crash, and recovering again goes on from there. A file that needs none of it is not
// touched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::verify {

struct Recovery {
  std::string path;
  std::vector<std::string> actions;  // what was done, or would be: "undo a metadata change that was interrupted"
  bool dry_run = false;
  bool all_told = true;     // false where a dry run cannot see beyond the change that would be undone
  std::uint64_t steps = 0;  // that the file shows, afterwards
};

struct RecoveryOptions {
  bool dry_run = false;
  bool take_over = false;  // from a writer of which nobody knows whether it lives (storage/writer_lock.hpp)
  // The machines that wrote it have not gone down since, so that what was written is there, on the disk or not: said by
  // somebody who knows, where this machine cannot (storage/writer_state.hpp).
  bool keep_written = false;
};

// Not collective. Throws Error(usage) where a program is writing the file, Error(data) where the file is not one of
// Weft's, or is damaged beyond this; Error(system) where the system refuses.
Recovery recover_file(const std::string& path, const RecoveryOptions& options);

}  // namespace weft::verify
