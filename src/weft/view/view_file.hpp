// weft/view/view_file.hpp - giving a Weft file its views anew: VTKHDF in the file, XDMF beside it.
//
// A run gives its file the VTKHDF view as it is written. Doing it again is for a run that did not end (only committed
// steps are shown), for a file from before the view was as it is now, and for the XDMF text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/storage/new_file.hpp"
#include "weft/view/view.hpp"
#include "weft/view/xdmf.hpp"

#pragma GCC visibility push(default)

namespace weft::view {

struct ViewReport {
  std::string path;       // what a viewer opens
  std::string xdmf_path;  // empty where none was asked for
  View view;
  std::uint64_t bytes_added = 0;  // to the file
  double seconds = 0;             // all of it
};

struct ViewOptions {
  bool xdmf = true;        // FILE.xdmf, and FILE's own name in it
  bool take_over = false;  // from a writer of which nobody knows whether it lives (storage/writer_lock.hpp)
  storage::IfExists if_exists = storage::IfExists::replace;  // of a view in a file of its own
};

// Shows the committed steps of the file. The metadata is changed as docs/format.md says, so a crash meanwhile loses
// nothing. Not collective. Throws Error(data) where the file is not Weft's, Error(usage) where a writer has it, or
// there is nothing to show: no steps, or no mesh.
ViewReport view_weft_file(const std::string& path, const ViewOptions& options = {});

// What XDMF has to know of a block's cells. Cells in many runs are copied into the view's own objects, so this comes
// before they are made; `cells.connectivity` is needed then only.
XdmfTopology topology_of(View& view, std::size_t block, const Cells& cells);

// Writes report.path + ".xdmf", whole or not at all; returns that name. One of `times` a step, of `topologies` a block.
std::string write_xdmf(const ViewReport& report, std::span<const double> times,
                       std::span<const XdmfTopology> topologies, bool take_over);

}  // namespace weft::view

#pragma GCC visibility pop
