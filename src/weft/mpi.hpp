// weft/mpi.hpp - weft/weft.hpp, and writing on MPI ranks: link weft::mpi.
#pragma once

// IWYU pragma: begin_exports
#include "weft/series/mpi_series.hpp"
#include "weft/support/mpi_communicator.hpp"
#include "weft/weft.hpp"
// IWYU pragma: end_exports
