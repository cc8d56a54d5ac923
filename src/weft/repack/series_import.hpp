// weft/repack/series_import.hpp - a Weft series made of any file whose steps are known: one plain dataset a field, laid
// out for the reads that will come, with a mesh or grid and a view.
//
// A repacked file keeps its objects and gets other chunks (repack/repack.hpp). Some have no chunk that helps: openPMD's
// dataset a step, VTKHDF's flat arrays, a step that is the last axis. An import keeps the values alone, unpacked and in
// Weft's order: step, places, components.
//
// Every rank reads a share of the nodes of some steps at a time, and writes them as a simulation would
// (series/series_writer.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "weft/reading/series_reader.hpp"
#include "weft/series/series_spec.hpp"
#include "weft/storage/new_file.hpp"
#include "weft/support/communicator.hpp"

#pragma GCC visibility push(default)

namespace weft::repack {

struct ImportRequest {
  std::string from;                         // FILE or FILE:DATASET
  std::string out;                          // not the same file
  reading::SeriesChoice choice{};           // what the file does not say itself
  std::vector<std::string> fields{};        // empty: all of the series
  std::string mesh{};                       // a .vtu file; empty: the mesh or grid in the file
  LayoutSpec layout{};                      // of every field
  std::string filters{};                    // of every field that is not global, as FieldSpec::filters has them
  std::uint64_t budget_bytes = 1ULL << 30;  // of memory, a rank
  storage::IfExists if_exists = storage::IfExists::fail;
  bool take_over = false;
  std::function<void(std::uint64_t done, std::uint64_t of)> progress{};  // steps, on every rank
  std::function<bool()> stopped{};                                       // asked often; true ends it with an error
};

struct ImportReport {
  std::uint64_t steps = 0;
  std::vector<std::string> fields;     // as they are called in the new file
  std::vector<std::string> left_out;   // each with the reason
  std::vector<std::string> not_shown;  // in the file and not in its view, each with the reason
  std::uint64_t bytes = 0;             // of values, on all ranks
  double seconds = 0;
};

// Collective; throws agreed errors: Error(usage) for what is not in the file, or a mesh that none of the fields stands
// on; Error(data) where values cannot be read. `out` is then as it was.
ImportReport import_series(Communicator& comm, const ImportRequest& request);

// Whether `path` is a Weft series of format 1, of which an import makes one of format 2, and, where its filters are to
// be kept, has none. False for what does not open: repack() says why. Not collective.
bool can_be_brought_over(const std::string& path, bool keeps_filters);

}  // namespace weft::repack

#pragma GCC visibility pop
