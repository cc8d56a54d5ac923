// weft/verify/recovery.hpp - puts a Weft file right after a crash: nothing that was committed is lost, and nothing else
// is shown.
//
// What is done, in this order, where it is needed:
//   1. A change of metadata that was cut short is undone (storage/metadata_change.hpp), or its scratch files removed
//   and
//      the room it had asked for given back.
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
  std::vector<std::string> actions;  // what was done, or would be: "undo a change of its metadata that was cut short"
  bool dry_run = false;
  bool all_told = true;     // false where a dry run cannot see beyond the change that would be undone
  std::uint64_t steps = 0;  // that the file shows, afterwards
};

// Not collective; no program may be writing the file. Throws Error(usage) where one is, Error(data) where the file is
// not one of Weft's, or is damaged beyond this; Error(system) where the system refuses.
Recovery recover_file(const std::string& path, bool dry_run);

}  // namespace weft::verify
