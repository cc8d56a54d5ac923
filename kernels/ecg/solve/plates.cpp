#include "kernels/ecg/solve/plates.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/ecg/heart/skin.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::ecg {

std::vector<double> plate_load(const HeartMesh& mesh) {
  constexpr double kFrom = 0.85;  // of the way from the middle to the side
  double low = 1e300;
  double high = -1e300;
  for (const Vector3& p : mesh.points) {
    low = std::min(low, p.x);
    high = std::max(high, p.x);
  }
  const double middle = (low + high) / 2;
  const double beyond = kFrom * (high - low) / 2;
  std::vector<double> in(mesh.points.size(), 0.0);
  std::vector<double> out(mesh.points.size(), 0.0);
  for (const auto& face : skin_faces(mesh)) {
    const auto at = [&](std::size_t corner) { return mesh.points[static_cast<std::size_t>(face[corner])]; };
    const double area = length(cross(at(1) - at(0), at(2) - at(0))) / 2;
    const double x = (at(0).x + at(1).x + at(2).x) / 3 - middle;
    std::vector<double>* plate = x > beyond ? &in : x < -beyond ? &out : nullptr;
    if (plate == nullptr) continue;
    for (const std::int32_t node : face) (*plate)[static_cast<std::size_t>(node)] += area / 3;
  }
  const double area_in = std::accumulate(in.begin(), in.end(), 0.0);
  const double area_out = std::accumulate(out.begin(), out.end(), 0.0);
  if (!(area_in > 0) || !(area_out > 0)) {
    throw Error(ErrorKind::usage, "the plates", "the mesh has no two sides for them", "leave them out");
  }
  for (std::size_t n = 0; n < in.size(); ++n) in[n] -= out[n] * area_in / area_out;
  return in;
}

}  // namespace weft::kernels::ecg
