// Whatever is done to a .msh, reading it ends with a mesh or with one line.
#include "kernels/ecg/bidomain/gmsh_mesh.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "kernels/ecg/bidomain/petsc_system.hpp"
#include "tests/gmsh_sample.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::ecg {
namespace {

// Where PETSc is ended by a signal, the test is.
class GmshMesh : public testing::Test {
 protected:
  bool is_read(const std::string& text) {
    std::filesystem::remove("changed.msh");  // cutting it short would cost a flush on ext4
    std::ofstream("changed.msh", std::ios::binary) << text;
    try {
      read_gmsh_contents("changed.msh");
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      return false;
    }
    return true;
  }

  std::uint32_t below(std::size_t end) { return static_cast<std::uint32_t>(random_() % end); }

  // A bit, a byte, a number of four bytes, a digit; a piece left out, twice or elsewhere; the end left out.
  std::string changed(std::string text) {
    static constexpr std::array<char, 4> kFew{'\0', '\1', '\x7f', '\xff'};
    const std::size_t at = below(text.size());
    const std::size_t length = std::min<std::size_t>(1 + below(40), text.size() - at);
    switch (below(8)) {
      case 0: text[at] = static_cast<char>(text[at] ^ (1 << below(8))); break;
      case 1: text[at] = static_cast<char>(below(256)); break;
      case 2: text.replace(at, 4, 4, kFew[below(4)]); break;
      case 3: {
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit != std::string::npos) text.replace(digit, 1, std::to_string(random_() >> below(32)));
        break;
      }
      case 4: text.erase(at, length); break;
      case 5: text.insert(at, text.substr(at, length)); break;
      case 6: text.insert(at, text.substr(below(text.size()), length)); break;
      default: text.resize(at);
    }
    return text;
  }

 private:
  PetscSession session_{MPI_COMM_WORLD, ""};
  std::mt19937 random_{20240229};
};

TEST_F(GmshMesh, EveryFormIsTheSameMesh) {
  for (const GmshForm& form : kGmshForms) {
    std::ofstream("sample.msh", std::ios::binary) << GmshSample(form).text();
    const MeshContents contents = read_gmsh_contents("sample.msh");
    EXPECT_EQ(contents.points.size(), 5u);
    EXPECT_EQ(contents.points[4], (Vector3{1, 1, 1.5}));
    EXPECT_EQ(contents.tetrahedra, (std::vector<Tetrahedron>{{0, 1, 2, 3}, {1, 2, 3, 4}}));
    EXPECT_EQ(contents.tissues, (std::vector<Tissue>{Tissue::heart, Tissue::blood}));
  }
}

TEST_F(GmshMesh, ChangesGetOneLineOrAMesh) {
  constexpr int kRounds = 1000;
  int read = 0;
  for (const GmshForm& form : kGmshForms) {
    const std::string text = GmshSample(form).text();
    for (int round = 0; round < kRounds; ++round) {
      std::string other = changed(text);
      if (round % 4 == 0 && !other.empty()) other = changed(other);
      read += is_read(other) ? 1 : 0;
    }
  }
  EXPECT_GT(read, 500) << "some changes leave a mesh";
}

}  // namespace
}  // namespace weft::kernels::ecg
