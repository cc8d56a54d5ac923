// weft/weft.hpp - all of the interface but what needs MPI (weft/mpi.hpp): link weft::core.
//
//   writing    series/series_spec.hpp, series/series_writer.hpp
//   reading    reading/series_reader.hpp, reading/snapshot_sweep.hpp, reading/open_for.hpp (one read of one field)
//   reducing   reduce/run_reduction.hpp (while it runs), reduce/running_quantity.hpp (of one's own),
//              reduce/file_reduction.hpp (afterwards)
//   looking    view/view_file.hpp (into the file), view/view_beside.hpp (beside it)
//   copying    convert/conversion.hpp, repack/series_import.hpp
//   hearts     ecg/file_ecg.hpp
//   and        support/error.hpp, support/cell_type.hpp, support/communicator.hpp, version.hpp
//
// These are the headers that are meant for programs. Those they include are installed with them and may change.
#pragma once

// IWYU pragma: begin_exports
#include "weft/convert/conversion.hpp"
#include "weft/ecg/file_ecg.hpp"
#include "weft/reading/open_for.hpp"
#include "weft/reading/series_reader.hpp"
#include "weft/reading/snapshot_sweep.hpp"
#include "weft/reduce/file_reduction.hpp"
#include "weft/reduce/run_reduction.hpp"
#include "weft/reduce/running_quantity.hpp"
#include "weft/repack/series_import.hpp"
#include "weft/series/series_spec.hpp"
#include "weft/series/series_writer.hpp"
#include "weft/support/cell_type.hpp"
#include "weft/support/communicator.hpp"
#include "weft/support/error.hpp"
#include "weft/version.hpp"
#include "weft/view/view_beside.hpp"
#include "weft/view/view_file.hpp"
// IWYU pragma: end_exports
