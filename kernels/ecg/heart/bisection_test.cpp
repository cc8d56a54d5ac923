#include "kernels/ecg/heart/bisection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "weft/support/error.hpp"

namespace weft::kernels::ecg {
namespace {

double volume_of(const BisectedBox& box) {
  double six = 0;
  for (const Tetrahedron& t : box.tetrahedra()) {
    const auto at = [&](std::size_t c) { return box.points()[static_cast<std::size_t>(t[c])]; };
    const double own = six_volumes(at(0), at(1), at(2), at(3));
    EXPECT_GT(own, 0);
    six += own;
  }
  return six / 6;
}

// How many tetrahedra a face belongs to: two inside, one on the surface of the box. A face with a node of its
// neighbour's in it would belong to one and lie inside.
void expect_faces_meet(const BisectedBox& box) {
  std::map<std::array<std::int32_t, 3>, int> faces;
  for (const Tetrahedron& t : box.tetrahedra()) {
    for (std::size_t left_out = 0; left_out < 4; ++left_out) {
      std::array<std::int32_t, 3> face{};
      for (std::size_t c = 0, i = 0; c < 4; ++c) {
        if (c != left_out) face[i++] = t[c];
      }
      std::sort(face.begin(), face.end());
      ++faces[face];
    }
  }
  for (const auto& entry : faces) {
    const auto& face = entry.first;
    const int count = entry.second;
    const auto same = [&](auto axis) {
      const double first = axis(box.points()[static_cast<std::size_t>(face[0])]);
      if (first != 0 && first != 1) return false;
      return std::all_of(face.begin(), face.end(),
                         [&](std::int32_t n) { return axis(box.points()[static_cast<std::size_t>(n)]) == first; });
    };
    const bool surface = same([](const Vector3& p) { return p.x; }) || same([](const Vector3& p) { return p.y; }) ||
                         same([](const Vector3& p) { return p.z; });
    EXPECT_EQ(count, surface ? 1 : 2);
  }
}

Vector3 as_it_is(const Vector3& u) { return u; }

TEST(BisectedBox, ThreeTimesEverywhereHalvesTheCubes) {
  BisectedBox box({1, 1, 1}, as_it_is);
  EXPECT_EQ(box.tetrahedra().size(), 6u);
  box.refine([](const auto& c) { return std::fabs(six_volumes(c[0], c[1], c[2], c[3])) < 0.13; }, 1000);
  EXPECT_EQ(box.tetrahedra().size(), 48u);
  EXPECT_EQ(box.points().size(), 27u);
  EXPECT_DOUBLE_EQ(volume_of(box), 1);
  expect_faces_meet(box);
}

TEST(BisectedBox, FacesMeetWhereOnlyACornerIsRefined) {
  BisectedBox box({2, 1, 3}, as_it_is);
  const auto is_fine = [](const std::array<Vector3, 4>& c) {
    const Vector3 middle = 0.25 * (c[0] + c[1] + c[2] + c[3]);
    return std::fabs(six_volumes(c[0], c[1], c[2], c[3])) < 1e-4 + 0.05 * dot(middle, middle);
  };
  box.refine(is_fine, 100000);
  EXPECT_GT(box.tetrahedra().size(), 100u);
  EXPECT_NEAR(volume_of(box), 1, 1e-12);
  expect_faces_meet(box);
}

TEST(BisectedBox, NoMoreThanSoManyPoints) {
  BisectedBox box({1, 1, 1}, as_it_is);
  EXPECT_THROW(box.refine([](const auto&) { return false; }, 500), Error);
}

}  // namespace
}  // namespace weft::kernels::ecg
