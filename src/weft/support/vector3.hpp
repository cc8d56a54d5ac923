// weft/support/vector3.hpp - arithmetic of points and directions in space.
#pragma once

#include <array>
#include <cmath>

namespace weft {

struct Vector3 {
  double x = 0, y = 0, z = 0;

  friend Vector3 operator+(const Vector3& a, const Vector3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vector3 operator-(const Vector3& a, const Vector3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vector3 operator*(double factor, const Vector3& a) { return {factor * a.x, factor * a.y, factor * a.z}; }
  bool operator==(const Vector3&) const = default;
};

inline double dot(const Vector3& a, const Vector3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double length(const Vector3& a) { return std::sqrt(dot(a, a)); }
// The direction of `a`, which must not be zero.
inline Vector3 normalised(const Vector3& a) { return (1 / length(a)) * a; }

}  // namespace weft
