// kernels/ecg/solve/solve_options.hpp - what the user says of the simulation itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/ecg/heart/mesh_file.hpp"
#include "kernels/ecg/solve/parameters.hpp"

namespace weft::kernels::ecg {

// A current between two plates on the skin, into the left side and out of the right one (I_e of the equations).
struct PlateStimulus {
  double current = 0;   // uA/mm^2 on the left plate
  double start = 0;     // ms
  double duration = 0;  // ms
};

struct SolveOptions {
  std::string mesh = "torso";  // torso; slab:0.2 (mm); a file, .vtu or .msh
  MeshFileOptions mesh_file;   // for a file
  double dt = 0.1;             // ms
  double duration = 450;       // ms
  double print_every = 1;      // ms
  bool monodomain = false;
  bool scatter = false;  // nodes dealt by a partition of the mesh's graph
  // Choose conductivities for these velocities where the mesh is too coarse for the measured conductivities.
  bool tune = true;
  Conductivity velocity = kMeasuredVelocity;
  std::optional<double> stimulus;  // pA/pF; nothing: the mesh's
  double conductivity_factor = 1;  // on all conductivities of the heart
  std::optional<PlateStimulus> plates;
  double tolerance = 1e-6;
  std::string petsc;  // options for PETSc
};

}  // namespace weft::kernels::ecg
