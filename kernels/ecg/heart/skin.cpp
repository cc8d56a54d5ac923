#include "kernels/ecg/heart/skin.hpp"

#include <algorithm>

namespace weft::kernels::ecg {

std::vector<std::array<std::int32_t, 3>> skin_faces(const HeartMesh& mesh) {
  std::vector<std::array<std::int32_t, 3>> faces;
  faces.reserve(mesh.tetrahedra.size() * 4);
  for (const Tetrahedron& t : mesh.tetrahedra) {
    for (std::size_t left_out = 0; left_out < 4; ++left_out) {
      std::array<std::int32_t, 3> face{};
      for (std::size_t c = 0, i = 0; c < 4; ++c) {
        if (c != left_out) face[i++] = t[c];
      }
      std::sort(face.begin(), face.end());
      faces.push_back(face);
    }
  }
  std::sort(faces.begin(), faces.end());
  std::vector<std::array<std::int32_t, 3>> skin;
  for (std::size_t i = 0; i < faces.size();) {
    const std::size_t same = i + 1 < faces.size() && faces[i + 1] == faces[i] ? 2 : 1;
    if (same == 1) skin.push_back(faces[i]);
    i += same;
  }
  return skin;
}

}  // namespace weft::kernels::ecg
