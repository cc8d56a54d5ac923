// tests/gmsh_sample.hpp - a small .msh in every form that is read, for tests.
//
// Five nodes, a triangle and two tetrahedra, the first of physical volume 1, the second of 7, which is named "blood".
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::kernels::ecg {

struct GmshForm {
  int format;      // 22, 40, 41
  char numbers;    // t text, b bytes, s swapped bytes
  int size_bytes;  // of a count, in bytes: 4 or 8
};

inline const std::vector<GmshForm> kGmshForms{{22, 't', 8}, {22, 'b', 8}, {22, 's', 8}, {40, 't', 8},
                                              {40, 'b', 8}, {40, 's', 8}, {41, 't', 8}, {41, 'b', 8},
                                              {41, 's', 8}, {41, 't', 4}, {41, 'b', 4}, {41, 's', 4}};

class GmshSample {
 public:
  explicit GmshSample(const GmshForm& form) : form_(form) {
    text_ = form.format == 22 ? "$MeshFormat\n2.2 " : form.format == 40 ? "$MeshFormat\n4 " : "$MeshFormat\n4.1 ";
    text_ += (form.numbers == 't' ? "0 " : "1 ") + std::to_string(form.size_bytes) + "\n";
    if (form.numbers != 't') integers({1});
    end_line();
    text_ += "$EndMeshFormat\n$PhysicalNames\n2\n2 3 \"skin\"\n3 7 \"blood\"\n$EndPhysicalNames\n";
    if (form.format == 22) {
      nodes_of_22();
    } else {
      entities();
      form.format == 40 ? nodes_of_40() : nodes_of_41();
      blocks();
    }
    end_line();
    text_ += "$EndElements\n";
  }
  const std::string& text() const { return text_; }

 private:
  static constexpr std::array<std::array<double, 3>, 5> kPoints{
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1.5}}};

  template <typename T>
  void add(T value) {
    if (form_.numbers == 't') {
      text_ += std::to_string(value) + " ";
      return;
    }
    auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
    if (form_.numbers == 's') std::reverse(bytes.begin(), bytes.end());
    text_.append(bytes.data(), bytes.size());
  }
  void integers(const std::vector<std::int32_t>& values) {
    for (const std::int32_t value : values) add(value);
  }
  void sizes(const std::vector<std::int32_t>& values) {
    for (const std::int32_t value : values) form_.size_bytes == 4 ? add(value) : add(std::int64_t{value});
  }
  void end_line() {
    if (text_.back() != '\n' || form_.numbers != 't') text_ += "\n";
  }
  void point(std::size_t n) {
    for (const double x : kPoints[n]) add(x);
  }
  void elements(const std::vector<std::vector<std::int32_t>>& all) {
    for (const auto& one : all) {
      form_.format == 41 ? sizes(one) : integers(one);
      if (form_.numbers == 't') end_line();
    }
  }

  void nodes_of_22() {
    text_ += "$Nodes\n5\n";
    for (std::size_t n = 0; n < 5; ++n) {
      integers({static_cast<std::int32_t>(n + 1)});
      point(n);
      if (form_.numbers == 't') end_line();
    }
    end_line();
    text_ += "$EndNodes\n$Elements\n3\n";
    if (form_.numbers == 't') {
      elements({{1, 2, 2, 3, 1, 1, 2, 3}, {2, 4, 2, 1, 1, 1, 2, 3, 4}, {3, 4, 2, 7, 2, 2, 3, 4, 5}});
    } else {
      elements({{2, 1, 2}, {1, 3, 1, 1, 2, 3}, {4, 2, 2}, {2, 1, 1, 1, 2, 3, 4}, {3, 7, 2, 2, 3, 4, 5}});
    }
  }

  void entities() {
    text_ += "$Entities\n";
    sizes({1, 0, 1, 2});
    integers({1});
    for (int c = 0; c < (form_.format == 40 ? 6 : 3); ++c) add(0.0);
    sizes({0});
    for (const auto& [tag, group] : {std::pair{1, 3}, {1, 1}, {2, 7}}) {
      integers({tag});
      for (int c = 0; c < 6; ++c) add(c < 3 ? 0.0 : 1.5);
      sizes({1});
      integers({group});
      sizes({2});
      integers({-1, 1});
    }
    end_line();
    text_ += "$EndEntities\n$Nodes\n";
  }

  void nodes_of_40() {
    sizes({1, 5});
    integers({1, 3, 0});
    sizes({5});
    for (std::size_t n = 0; n < 5; ++n) {
      integers({static_cast<std::int32_t>(n + 1)});
      point(n);
      if (form_.numbers == 't') end_line();
    }
  }

  void nodes_of_41() {
    sizes({2, 5, 1, 5});
    integers({2, 1, 0});
    sizes({2, 1, 2});
    for (std::size_t n = 0; n < 2; ++n) point(n);
    integers({3, 1, 0});
    sizes({3, 3, 4, 5});
    for (std::size_t n = 2; n < 5; ++n) point(n);
  }

  void blocks() {
    end_line();
    text_ += "$EndNodes\n$Elements\n";
    sizes({3, 3});
    if (form_.format == 41) sizes({1, 3});
    const bool dimension_first = form_.format == 41;
    integers({dimension_first ? 2 : 1, dimension_first ? 1 : 2, 2});
    sizes({1});
    elements({{1, 1, 2, 3}});
    integers({dimension_first ? 3 : 1, dimension_first ? 1 : 3, 4});
    sizes({1});
    elements({{2, 1, 2, 3, 4}});
    integers({dimension_first ? 3 : 2, dimension_first ? 2 : 3, 4});
    sizes({1});
    elements({{3, 2, 3, 4, 5}});
  }

  GmshForm form_;
  std::string text_;
};

}  // namespace weft::kernels::ecg
