// kernels/io/output_folder.hpp - where a kernel writes: a folder of its own.
#pragma once

#include <string>

#include "weft/support/communicator.hpp"

namespace weft::kernels {

// Makes the folder on rank 0, where it is not there. Throws an agreed Error(usage) where it has something in it (a run
// never mixes its files with others') or is no folder, Error(system) where it cannot be made. Collective.
void make_output_folder(Communicator& comm, const std::string& path);

}  // namespace weft::kernels
