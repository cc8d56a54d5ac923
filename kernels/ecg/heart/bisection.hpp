// kernels/ecg/heart/bisection.hpp - tetrahedra of a box, refined where they are wanted smaller, with faces that meet.
//
// The box begins as cubes of six tetrahedra each (Freudenthal, Kuhn), all cut the same way; refining bisects tetrahedra
// at the edge that Maubach's rule names (SIAM J Sci Comput 16 (1995) 210, doi 10.1137/0916014), and their neighbours
// until no edge has a node of one side only. However often it is done, only a few shapes of tetrahedra arise. The same
// input gives the same mesh, number for number.
//
// Example: one cube, everything refined three times: 8 small cubes, 27 points, 48 tetrahedra.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "weft/support/vector3.hpp"

namespace weft::kernels::ecg {

using Tetrahedron = std::array<std::int32_t, 4>;

class BisectedBox {
 public:
  // cubes[0] x cubes[1] x cubes[2] cubes over [0, 1]^3, each point moved by `place`.
  BisectedBox(const std::array<int, 3>& cubes, std::function<Vector3(const Vector3& in_box)> place);

  // Bisects until `is_fine` holds for the corners of every tetrahedron. Throws Error(usage) past `most_points`.
  void refine(const std::function<bool(const std::array<Vector3, 4>& corners)>& is_fine, std::uint64_t most_points);

  const std::vector<Vector3>& points() const { return points_; }
  // Right-handed where `place` is.
  std::vector<Tetrahedron> tetrahedra() const;
  // Whether a point lies on the box's surface; as points().
  std::vector<bool> on_surface() const;

 private:
  // Corners in Maubach's order; corners 0 and `tag` are the edge to be bisected.
  struct Tagged {
    Tetrahedron corners;
    int tag;
  };

  std::int32_t add_point(const Vector3& in_box);

  std::function<Vector3(const Vector3&)> place_;
  std::vector<Vector3> in_box_;
  std::vector<Vector3> points_;
  std::vector<Tagged> tagged_;
};

// Six times the volume, positive for right-handed corners.
inline double six_volumes(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d) {
  return dot(b - a, cross(c - a, d - a));
}

}  // namespace weft::kernels::ecg
