#include "kernels/ecg/heart/bisection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "weft/support/error.hpp"

namespace weft::kernels::ecg {

namespace {

std::uint64_t edge_of(std::int32_t a, std::int32_t b) {
  return static_cast<std::uint64_t>(std::min(a, b)) << 32 | static_cast<std::uint64_t>(std::max(a, b));
}

}  // namespace

BisectedBox::BisectedBox(const std::array<int, 3>& cubes, std::function<Vector3(const Vector3&)> place)
    : place_(std::move(place)) {
  const int nx = cubes[0], ny = cubes[1], nz = cubes[2];
  const auto number = [&](int i, int j, int k) { return (k * (ny + 1) + j) * (nx + 1) + i; };
  for (int k = 0; k <= nz; ++k) {
    for (int j = 0; j <= ny; ++j) {
      for (int i = 0; i <= nx; ++i) {
        add_point({static_cast<double>(i) / nx, static_cast<double>(j) / ny, static_cast<double>(k) / nz});
      }
    }
  }
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        // From the lowest corner to the highest along the axes, in each of their six orders.
        std::array<int, 3> order{0, 1, 2};
        do {
          std::array<int, 3> at{i, j, k};
          Tagged tagged{{}, 3};
          tagged.corners[0] = number(at[0], at[1], at[2]);
          for (std::size_t corner = 1; corner < 4; ++corner) {
            ++at[static_cast<std::size_t>(order[corner - 1])];
            tagged.corners[corner] = number(at[0], at[1], at[2]);
          }
          tagged_.push_back(tagged);
        } while (std::next_permutation(order.begin(), order.end()));
      }
    }
  }
}

std::int32_t BisectedBox::add_point(const Vector3& in_box) {
  in_box_.push_back(in_box);
  points_.push_back(place_(in_box));
  return static_cast<std::int32_t>(points_.size() - 1);
}

void BisectedBox::refine(const std::function<bool(const std::array<Vector3, 4>&)>& is_fine, std::uint64_t most_points) {
  std::unordered_map<std::uint64_t, std::int32_t> middles;  // of edges that are bisected
  bool changed = true;
  while (changed) {
    changed = false;
    std::vector<Tagged> next;
    next.reserve(tagged_.size() * 2);
    for (const Tagged& one : tagged_) {
      const Tetrahedron& c = one.corners;
      const auto at = [&](std::size_t corner) { return points_[static_cast<std::size_t>(c[corner])]; };
      bool keep = is_fine({at(0), at(1), at(2), at(3)});
      for (std::size_t a = 0; a < 3 && keep; ++a) {
        for (std::size_t b = a + 1; b < 4 && keep; ++b) keep = !middles.contains(edge_of(c[a], c[b]));
      }
      if (keep) {
        next.push_back(one);
        continue;
      }
      changed = true;
      const auto tag = static_cast<std::size_t>(one.tag);
      const auto [found, is_new] = middles.try_emplace(edge_of(c[0], c[tag]), 0);
      if (is_new) {
        if (points_.size() >= most_points) {
          throw Error(ErrorKind::usage, "the mesh", fmt::format("needs more than {} nodes", most_points),
                      "take a larger spacing");
        }
        found->second =
            add_point(0.5 * (in_box_[static_cast<std::size_t>(c[0])] + in_box_[static_cast<std::size_t>(c[tag])]));
      }
      // Maubach: both halves keep the order, with the middle where the edge's end was.
      Tagged low{c, one.tag > 1 ? one.tag - 1 : 3};
      Tagged high = low;
      low.corners[tag] = found->second;
      for (std::size_t corner = 0; corner < tag; ++corner) high.corners[corner] = c[corner + 1];
      high.corners[tag] = found->second;
      next.push_back(low);
      next.push_back(high);
    }
    tagged_ = std::move(next);
  }
}

std::vector<Tetrahedron> BisectedBox::tetrahedra() const {
  std::vector<Tetrahedron> all;
  all.reserve(tagged_.size());
  const auto box_point = [&](std::int32_t corner) { return in_box_[static_cast<std::size_t>(corner)]; };
  for (const Tagged& one : tagged_) {
    Tetrahedron c = one.corners;
    if (six_volumes(box_point(c[0]), box_point(c[1]), box_point(c[2]), box_point(c[3])) < 0) std::swap(c[2], c[3]);
    all.push_back(c);
  }
  return all;
}

std::vector<bool> BisectedBox::on_surface() const {
  std::vector<bool> surface;
  surface.reserve(in_box_.size());
  const auto end = [](double u) { return u == 0 || u == 1; };
  for (const Vector3& u : in_box_) surface.push_back(end(u.x) || end(u.y) || end(u.z));
  return surface;
}

}  // namespace weft::kernels::ecg
