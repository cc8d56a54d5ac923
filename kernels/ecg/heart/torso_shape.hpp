// kernels/ecg/heart/torso_shape.hpp - a torso with lungs, bones and two ventricles, as formulas.
//
// Millimetres; x to the patient's left, y to the back, z up; the origin lies in the middle of the chest. The ventricles
// are cut ellipsoids, a usual idealisation (sizes as those of an adult's heart, wall of the left 10 mm and of the right
// 6 mm); the torso is a box with rounded sides. Pure arithmetic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ecg/cell/ten_tusscher.hpp"
#include "weft/support/vector3.hpp"

namespace weft::kernels::ecg {

enum class Tissue : std::uint8_t { torso, heart, blood, lung, bone };

// Extents of the torso along x, y, z.
inline constexpr Vector3 kTorsoExtent{330, 210, 430};

// Where a point of the unit cube lies in the torso; the cube's surface becomes the skin.
Vector3 in_torso(const Vector3& unit);

// Outside of the ventricles' wall positive, inside negative, and zero on its surface; its size is near the distance
// from there.
double wall_distance(const Vector3& point);

// What is at a point that is not of the wall.
Tissue tissue_outside(const Vector3& point);

// 0 at the inner surface (the cavities), 1 at the outer one.
double depth_in_wall(const Vector3& point);
CellLayer layer_at(const Vector3& point);

// The direction of the muscle fibres: along the surfaces, turning from +60 degrees inside to -60 outside against the
// horizontal (Streeter et al. 1969, doi 10.1161/01.RES.24.3.339).
Vector3 fibre_at(const Vector3& point);

// When the inner surface is activated at this point, ms after the first one: from the places where that begins in a
// human heart (Durrer et al. 1970, doi 10.1161/01.CIR.41.6.899) it spreads as fast as the conduction system carries it.
double activation_of_inner_surface(const Vector3& point);
// How far a point of the wall is from a cavity.
double cavity_distance(const Vector3& point);

// RA, LA, LL, RL and V1 to V6, near the skin.
struct ElectrodePlace {
  std::string name;
  Vector3 at;
};
std::vector<ElectrodePlace> electrode_places();

}  // namespace weft::kernels::ecg
