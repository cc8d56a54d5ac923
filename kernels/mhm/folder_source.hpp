// kernels/mhm/folder_source.hpp - a folder of `weft run mhm` as a source: the solutions of many small problems, put
// together on one mesh.
//
// Each problem's triangle is refined as its parameters say (kernels/mhm/triangle_lattice.hpp); its points and cells
// follow those of the problem before. Points on a side that two triangles share are in the mesh twice. The solutions
// are in a text file of each problem, or in one of all (docs/kernels/mhm.md). A source reads what is asked for and
// keeps nothing.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "weft/convert/step_source.hpp"

namespace weft::kernels::mhm {

// Collective; throws agreed errors: Error(data) where the folder is no such folder, or nothing has been written yet.
std::unique_ptr<convert::StepSource> open_folder(Communicator& comm, const std::string& path,
                                                 std::span<const std::string> fields);

}  // namespace weft::kernels::mhm
