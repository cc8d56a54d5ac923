// bindings/on_ranks.hpp - series on MPI ranks; without MPI, a line that says so.
#pragma once

#include <string>

#include "bindings/spec.hpp"
#include "weft/series/series_writer.hpp"

namespace weft::c {

// `comm` is a communicator as Fortran has it. Collective.
SeriesWriter create_on_ranks(const weft_spec& spec, const std::string& path, int comm);
SeriesWriter append_on_ranks(const weft_spec& spec, const std::string& path, int comm);

// Throws Error(usage) where MPI has ended: a collective call would end the program.
void refuse_after_mpi();

}  // namespace weft::c
