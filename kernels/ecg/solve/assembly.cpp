#include "kernels/ecg/solve/assembly.hpp"

namespace weft::kernels::ecg {

namespace {

std::array<Vector3, 4> corners_of(const HeartMesh& mesh, std::size_t t) {
  std::array<Vector3, 4> corners;
  for (std::size_t c = 0; c < 4; ++c) corners[c] = mesh.points[static_cast<std::size_t>(mesh.tetrahedra[t][c])];
  return corners;
}

// Adds entry(element, a, b) of tetrahedra [0, count) to the rows of nodes a that are this rank's.
using Entry = std::function<double(std::size_t t, const LinearElement& element, std::size_t a, std::size_t b)>;
CompressedRows assembled(const HeartMesh& mesh, const NodeDealing& dealing, bool heart_only, const Entry& entry) {
  SparseRows rows(heart_only ? dealing.local_heart() : dealing.local());
  const std::size_t count = heart_only ? mesh.heart_tetrahedra : mesh.tetrahedra.size();
  for (std::size_t t = 0; t < count; ++t) {
    const Tetrahedron& nodes = mesh.tetrahedra[t];
    bool mine = false;
    for (const std::int32_t node : nodes) mine = mine || dealing.local_of(node) >= 0;
    if (!mine) continue;
    const LinearElement element = linear_element(corners_of(mesh, t));
    for (std::size_t a = 0; a < 4; ++a) {
      const std::int32_t row = dealing.local_of(nodes[a]);  // the same in both kinds of equations
      if (row < 0) continue;
      for (std::size_t b = 0; b < 4; ++b) {
        rows.add(row, heart_only ? dealing.heart_equation(nodes[b]) : dealing.equation(nodes[b]),
                 entry(t, element, a, b));
      }
    }
  }
  return rows.compressed();
}

}  // namespace

LinearElement linear_element(const std::array<Vector3, 4>& corners) {
  LinearElement element;
  const Vector3 a = corners[1] - corners[0];
  const Vector3 b = corners[2] - corners[0];
  const Vector3 c = corners[3] - corners[0];
  const double six = dot(a, cross(b, c));
  element.volume = six / 6;
  element.gradients[1] = (1 / six) * cross(b, c);
  element.gradients[2] = (1 / six) * cross(c, a);
  element.gradients[3] = (1 / six) * cross(a, b);
  element.gradients[0] = -1 * (element.gradients[1] + element.gradients[2] + element.gradients[3]);
  return element;
}

Vector3 conducted(const Conductivity& sigma, const Vector3& fibre, const Vector3& v) {
  return sigma.across * v + ((sigma.along - sigma.across) * dot(fibre, v)) * fibre;
}

CompressedRows spreading_matrix(const HeartMesh& mesh, const NodeDealing& dealing, const Conductivity& sigma, double dt,
                                double implicit) {
  const double storage = kSurfaceToVolume * kCapacitance / dt;
  return assembled(mesh, dealing, true, [&](std::size_t t, const LinearElement& element, std::size_t a, std::size_t b) {
    const double mass = element.volume * (a == b ? 0.1 + 0.15 * kLumped : 0.05 * (1 - kLumped));
    const double stiffness =
        element.volume * dot(element.gradients[a], conducted(sigma, mesh.fibres[t], element.gradients[b]));
    return storage * mass + implicit * stiffness;
  });
}

CompressedRows heart_stiffness(const HeartMesh& mesh, const NodeDealing& dealing, const Conductivity& sigma) {
  return assembled(mesh, dealing, true, [&](std::size_t t, const LinearElement& element, std::size_t a, std::size_t b) {
    return element.volume * dot(element.gradients[a], conducted(sigma, mesh.fibres[t], element.gradients[b]));
  });
}

CompressedRows whole_stiffness(const HeartMesh& mesh, const NodeDealing& dealing, const Conductivity& in_heart) {
  return assembled(
      mesh, dealing, false, [&](std::size_t t, const LinearElement& element, std::size_t a, std::size_t b) {
        if (t >= mesh.heart_tetrahedra) {
          return conductivity_outside(mesh.tissues[t]) * element.volume *
                 dot(element.gradients[a], element.gradients[b]);
        }
        return element.volume * dot(element.gradients[a], conducted(in_heart, mesh.fibres[t], element.gradients[b]));
      });
}

}  // namespace weft::kernels::ecg
