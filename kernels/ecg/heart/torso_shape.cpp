#include "kernels/ecg/heart/torso_shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace weft::kernels::ecg {

namespace {

// Signed distance from an ellipsoid around the origin, to first order: exact on its surface.
double from_ellipsoid(const Vector3& p, const Vector3& axes) {
  const Vector3 once{p.x / axes.x, p.y / axes.y, p.z / axes.z};
  const Vector3 twice{once.x / axes.x, once.y / axes.y, once.z / axes.z};
  const double slope = length(twice);
  if (slope == 0) return -std::min({axes.x, axes.y, axes.z});
  return length(once) * (length(once) - 1) / slope;
}

// The heart's own frame: its origin is the middle of the left ventricle, `up` leads from the apex to the base and
// `right` to the right ventricle.
struct HeartFrame {
  Vector3 origin{18, -32, 5};
  Vector3 up = normalised({-0.58, 0.42, 0.70});  // the apex points to the left, the front and the feet
  Vector3 right = [this] {
    const Vector3 front_right{-0.75, -0.66, 0};
    return normalised(front_right - dot(front_right, up) * up);
  }();
  Vector3 third = cross(up, right);

  // x towards the right ventricle, z towards the base.
  Vector3 into(const Vector3& p) const {
    const Vector3 d = p - origin;
    return {dot(d, right), dot(d, third), dot(d, up)};
  }
  Vector3 out_of(const Vector3& direction) const {
    return direction.x * right + direction.y * third + direction.z * up;
  }
};
const HeartFrame kHeart;

constexpr Vector3 kLeftOuter{30, 30, 70};
constexpr Vector3 kLeftInner{20, 20, 60};
constexpr Vector3 kRightOuter{40, 37, 64};
constexpr Vector3 kRightInner{34, 31, 58};
constexpr Vector3 kRightMiddle{22, 0, 4};
constexpr double kBase = 25;  // the ventricles end here

// Signed distances from the surfaces, of a point in the heart's frame.
struct Surfaces {
  double left_outer, left_inner, right_outer, right_inner;

  explicit Surfaces(const Vector3& p)
      : left_outer(from_ellipsoid(p, kLeftOuter)),
        left_inner(from_ellipsoid(p, kLeftInner)),
        right_outer(from_ellipsoid(p - kRightMiddle, kRightOuter)),
        right_inner(from_ellipsoid(p - kRightMiddle, kRightInner)) {}

  double right_cavity() const { return std::max(right_inner, -left_outer); }
  double cavity() const { return std::min(left_inner, right_cavity()); }
  double outside() const { return std::min(left_outer, right_outer); }
};

double base_distance(const Vector3& in_heart) { return in_heart.z - kBase; }

double torso_scale(const Vector3& p) {  // 1 on the skin, about
  const double u = std::fabs(p.x) / (kTorsoExtent.x / 2);
  const double v = std::fabs(p.y) / (kTorsoExtent.y / 2);
  return std::pow(std::pow(u, 2.6) + std::pow(v, 2.6), 1 / 2.6);
}

bool in_bone(const Vector3& p) {
  const double spine = std::hypot(p.x, p.y - 68) - 17;
  if (spine < 0) return true;
  const bool sternum = std::fabs(p.x) < 17 && p.y < 0 && p.z > -30 && p.z < 115;
  const double scale = torso_scale(p);
  if (scale < 0.86 || scale > 0.94) return false;
  if (sternum) return true;
  // Ten ribs, falling from the spine to the front.
  const double height = p.z - 0.35 * p.y;
  if (height < -110 || height > 140) return false;
  const double in_turn = height / 25 - std::floor(height / 25);
  return in_turn < 0.4;
}

bool in_lung(const Vector3& p) {
  const auto within = [&](double side) { return from_ellipsoid(p - Vector3{side * 82, 8, 30}, {56, 72, 125}) < 0; };
  return within(-1) || within(1);
}

}  // namespace

Vector3 in_torso(const Vector3& unit) {
  // A square drawn towards the ellipse it holds; all the way (1) it would have flat tetrahedra at its four edges.
  constexpr double kRounding = 0.75;
  const double u = 2 * unit.x - 1;
  const double v = 2 * unit.y - 1;
  const double w = 2 * unit.z - 1;
  return {kTorsoExtent.x / 2 * u * std::sqrt(1 - kRounding * v * v / 2),
          kTorsoExtent.y / 2 * v * std::sqrt(1 - kRounding * u * u / 2), kTorsoExtent.z / 2 * w - 15};
}

double wall_distance(const Vector3& point) {
  const Vector3 p = kHeart.into(point);
  const Surfaces surfaces(p);
  return std::max({surfaces.outside(), -surfaces.cavity(), base_distance(p)});
}

Tissue tissue_outside(const Vector3& point) {
  const Vector3 p = kHeart.into(point);
  const Surfaces surfaces(p);
  // Near the wall's inner surface, which elements round off, the nearer of the two sides.
  if (base_distance(p) < 0 && surfaces.cavity() < -surfaces.outside()) return Tissue::blood;
  if (in_bone(point)) return Tissue::bone;
  const bool beside_the_heart = surfaces.outside() < 8 && p.z < kBase + 30;
  return in_lung(point) && !beside_the_heart ? Tissue::lung : Tissue::torso;
}

double cavity_distance(const Vector3& point) { return Surfaces(kHeart.into(point)).cavity(); }

double depth_in_wall(const Vector3& point) {
  const Surfaces surfaces(kHeart.into(point));
  const double inner = std::max(0.0, surfaces.cavity());
  const double outer = std::max(0.0, -surfaces.outside());
  return inner + outer > 0 ? inner / (inner + outer) : 0.5;
}

// M cells, the last to recover, where activation begins: in the inner part of the left ventricle's wall, and in the
// thin wall of the right one but for its lining. So the left ventricle's outside, reached last, recovers first, and the
// T wave points as the QRS complex does in the leads that look at it (I, II, V6).
CellLayer layer_at(const Vector3& point) {
  constexpr double kInnerPartLeft = 0.3;
  constexpr double kInnerPartRight = 0.9;
  constexpr double kLining = 1;  // mm
  const Surfaces surfaces(kHeart.into(point));
  const bool right = surfaces.left_outer > 0;
  if (right && surfaces.right_cavity() < kLining) return CellLayer::endocardium;
  const double depth = depth_in_wall(point);
  return depth < (right ? kInnerPartRight : kInnerPartLeft) ? CellLayer::midmyocardium : CellLayer::epicardium;
}

Vector3 fibre_at(const Vector3& point) {
  const Vector3 p = kHeart.into(point);
  const Surfaces surfaces(p);
  const bool left = surfaces.left_outer <= 0 || surfaces.left_outer < surfaces.right_outer;
  const Vector3 from_middle = left ? p : p - kRightMiddle;
  const Vector3& axes = left ? kLeftOuter : kRightOuter;
  const double inner = std::max(0.0, left ? surfaces.left_inner : surfaces.right_inner);
  const double outer = std::max(0.0, left ? -surfaces.left_outer : -surfaces.right_outer);
  const double depth = inner + outer > 0 ? inner / (inner + outer) : 0.5;
  const Vector3 outward = normalised(
      {from_middle.x / (axes.x * axes.x), from_middle.y / (axes.y * axes.y), from_middle.z / (axes.z * axes.z)});
  Vector3 around = cross({0, 0, 1}, outward);
  if (length(around) < 1e-6) around = {1, 0, 0};  // at the apex
  around = normalised(around);
  const double angle = (60 - 120 * depth) * std::numbers::pi / 180;
  return kHeart.out_of(std::cos(angle) * around + std::sin(angle) * cross(outward, around));
}

double activation_of_inner_surface(const Vector3& point) {
  // Left: high on the front wall beside the septum, the middle of the septum, the back wall beside it; right: where the
  // front papillary muscle stands, some 5 ms later (Durrer et al. 1970). In the heart's frame.
  struct Site {
    Vector3 at;
    double delay;  // ms
  };
  static constexpr std::array<Site, 4> kSites{
      {{{11, 16, 8}, 0}, {{19, 3, -10}, 0}, {{7, -18, -12}, 0}, {{52, 10, -12}, 5}}};
  constexpr double kSpeed = 0.9;  // mm/ms: muscle with Purkinje strands in it, slower than those alone (2 to 4)
  const Vector3 p = kHeart.into(point);
  double earliest = 1e9;
  for (const Site& site : kSites) earliest = std::min(earliest, site.delay + length(p - site.at) / kSpeed);
  return earliest;
}

std::vector<ElectrodePlace> electrode_places() {
  // Standard places (Kligfield et al. 2007, doi 10.1161/CIRCULATIONAHA.106.180200): V1 and V2 beside the sternum in the
  // fourth space between the ribs, V4 in the fifth on the middle of the clavicle, V3 between, V5 and V6 level with V4.
  constexpr double kFront = -kTorsoExtent.y / 2;
  constexpr double kSide = kTorsoExtent.x / 2;
  return {{"RA", {-kSide, 0, 180}},  {"LA", {kSide, 0, 180}},      {"LL", {100, -60, -230}},
          {"RL", {-100, -60, -230}}, {"V1", {-22, kFront, 30}},    {"V2", {22, kFront, 30}},
          {"V3", {52, kFront, 18}},  {"V4", {82, kFront + 10, 5}}, {"V5", {125, kFront + 35, 2}},
          {"V6", {kSide, -5, 0}}};
}

}  // namespace weft::kernels::ecg
