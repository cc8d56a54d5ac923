// bindings/communicator.hpp - a weft::Communicator that Python does: ranks talk through the mpi4py of the program.
//
// weft::core needs no MPI, only this interface. So Python's ranks need no library built for their MPI, and no second
// MPI can meet the first in one process. python/weft/ranks.py has the other side.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "weft/support/communicator.hpp"

namespace weft::bindings {

// `ranks` is a weft.ranks.Ranks, or None: one rank.
std::shared_ptr<Communicator> communicator_of(const nanobind::object& ranks);

}  // namespace weft::bindings
