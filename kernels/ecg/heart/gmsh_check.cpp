#include "kernels/ecg/heart/gmsh_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "kernels/ecg/heart/gmsh_element.hpp"
#include "kernels/ecg/heart/gmsh_file.hpp"

namespace weft::kernels::ecg {

namespace {

constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kNoGroup = -1;  // as PETSc has it

class Check {
 public:
  explicit Check(const std::string& path) : file_(path) {}

  GmshTissues run() {
    read_format();
    std::string section = next_section();
    if (section == "$PhysicalNames") {
      read_names();
      section = next_section();
    }
    if (format_ >= 40) {
      expect("$Entities", section);
      read_entities();
      section = next_section();
    }
    expect("$Nodes", section);
    read_nodes();
    expect("$Elements", next_section());
    read_elements();
    return tissues_;
  }

 private:
  // Comments may stand before any section.
  std::string next_section() {
    std::string section(file_.word());
    while (section == "$Comments") {
      file_.enter(section);
      while (file_.word() != "$EndComments") {
      }
      section = file_.word();
    }
    return section;
  }

  void expect(const std::string& wanted, const std::string& section) {
    if (section != wanted) {
      throw file_.bad(fmt::format("has no {} where it should be", wanted), "write the mesh again, with Gmsh");
    }
    file_.enter(wanted);
  }

  void expect_end(const std::string& section) {
    if (file_.word() != section) throw file_.bad(fmt::format("has no {} where it should be", section));
  }

  void read_format() {
    if (next_section() != "$MeshFormat") throw file_.bad("does not begin with $MeshFormat", "give a .msh of Gmsh's");
    file_.enter("$MeshFormat");
    const std::string version(file_.word());
    const std::int32_t binary = file_.text_integer();
    size_bytes_ = file_.text_integer();
    for (const auto& [text, format] : {std::pair{"2.2", 22}, {"4", 40}, {"4.0", 40}, {"4.1", 41}}) {
      if (version == text) format_ = format;
    }
    if (format_ == 0) throw file_.bad("is of a format that Weft does not read");
    if (binary != 0 && binary != 1) throw file_.bad(fmt::format("is of type {}, neither ascii nor binary", binary));
    if (size_bytes_ != 8 && !(format_ == 41 && size_bytes_ == 4)) {
      throw file_.bad(fmt::format("has numbers of {} bytes", size_bytes_));
    }
    if (binary == 1) {
      file_.numbers_are(GmshFile::Numbers::bytes);
      const std::int32_t one = file_.integer();
      if (one != 1 && one != 0x01000000) throw file_.bad("does not tell its byte order");
      if (one != 1) file_.numbers_are(GmshFile::Numbers::swapped_bytes);
      binary_ = true;
    }
    expect_end("$EndMeshFormat");
  }

  // A number and the name behind it: after one space, or PETSc takes the wrong end of the line.
  void read_names() {
    constexpr std::size_t kLongest = 127;
    constexpr std::array<std::string_view, 5> kNames{"torso", "heart", "blood", "lung", "bone"};
    file_.enter("$PhysicalNames");
    const std::int32_t count = file_.text_integer();
    if (count < 0) throw file_.bad(fmt::format("announces {} names", count));
    for (std::int32_t i = 0; i < count; ++i) {
      const std::int32_t dimension = file_.text_integer();
      const std::int32_t number = file_.text_integer();
      const std::string_view line = file_.rest_of_line();
      const std::size_t end = line.rfind('"');
      if (line.empty() || line[0] != '"' || end == 0 ||
          line.find_first_not_of(" \t\r", end + 1) != std::string_view::npos ||
          line.find('\0') != std::string_view::npos) {
        throw file_.bad(fmt::format("has no name after {} {}", dimension, number),
                        "write it in quotes after a single space");
      }
      const std::string_view name = line.substr(1, end - 1);
      if (name.size() > kLongest) {
        throw file_.bad(fmt::format("has a name of {} characters", name.size()), "give it at most 127");
      }
      const auto* const found = std::find(kNames.begin(), kNames.end(), name);
      if (dimension == 3 && found != kNames.end()) named_[number] = static_cast<Tissue>(found - kNames.begin());
    }
    expect_end("$EndPhysicalNames");
  }

  std::int32_t size() { return file_.size(size_bytes_); }

  // What PETSc needs to know of the blocks to come: their entities' physical groups.
  void read_entities() {
    constexpr std::int32_t kMostGroups = 16;  // that PETSc has room for; of 4.0 it drops the others
    std::array<std::int32_t, 4> counts{};
    for (std::int32_t& count : counts) count = size();
    for (std::size_t dimension = 0; dimension < 4; ++dimension) {
      for (std::int32_t i = 0; i < counts[dimension]; ++i) {
        const std::int32_t tag = file_.integer();
        const int box = dimension == 0 && format_ == 41 ? 3 : 6;
        for (int c = 0; c < box; ++c) file_.real();  // which may be infinite: nothing is made of them
        const std::int32_t groups = size();
        if (groups > kMostGroups && format_ == 41) {
          throw file_.bad(fmt::format("has an entity of {} physical groups", groups), "PETSc reads up to 16");
        }
        entities_[dimension][tag] = kNoGroup;
        for (std::int32_t g = 0; g < groups; ++g) {
          const std::int32_t group = file_.integer();
          if (g == 0) entities_[dimension][tag] = group;
        }
        if (dimension == 0) continue;
        const std::int32_t boundary = size();
        for (std::int32_t b = 0; b < boundary; ++b) file_.integer();
      }
    }
    expect_end("$EndEntities");
  }

  // The first physical group of a block's entity.
  std::int32_t group_of(std::int32_t dimension, std::int32_t tag) const {
    if (dimension < 0 || dimension > 3) throw file_.bad(fmt::format("has a block of {} dimensions", dimension));
    const auto& entities = entities_[static_cast<std::size_t>(dimension)];
    const auto found = entities.find(tag);
    if (found == entities.end()) {
      throw file_.bad(fmt::format("has a block of entity {} (dimension {}), which is not there", tag, dimension));
    }
    return found->second;
  }

  void read_coordinate() {
    const double value = file_.real();
    if (!std::isfinite(value)) throw file_.bad(fmt::format("has a node at {}", value));
  }

  void read_node_of_one_line(std::vector<std::int32_t>& tags) {
    tags.push_back(file_.integer());
    for (int c = 0; c < 3; ++c) read_coordinate();
  }

  void read_node_block(std::vector<std::int32_t>& tags, std::int32_t announced) {
    const std::int32_t first = file_.integer();
    const std::int32_t second = file_.integer();
    if (format_ == 41) group_of(first, second);
    if (file_.integer() != 0) {
      throw file_.bad("has parametric coordinates", "write the mesh again, without them");
    }
    const std::int32_t count = size();
    // How much PETSc asks for at once is a number of 32 bits too.
    check_sum(tags.size(), count, announced, "nodes", format_ == 41 ? 3 : 28);
    if (format_ == 40) {
      for (std::int32_t n = 0; n < count; ++n) read_node_of_one_line(tags);
      return;
    }
    for (std::int32_t n = 0; n < count; ++n) tags.push_back(size());
    for (std::int64_t c = 0; c < 3 * static_cast<std::int64_t>(count); ++c) read_coordinate();
  }

  // That a block keeps within what was announced for all, and its numbers within PETSc's reach.
  void check_sum(std::uint64_t before, std::int32_t count, std::int32_t announced, const char* what,
                 std::int64_t numbers_each) const {
    if (static_cast<std::int64_t>(before) + count > announced) {
      throw file_.bad(fmt::format("announces {} {}, and has more", announced, what));
    }
    if (numbers_each * count > kMost) {
      throw file_.bad(fmt::format("has a block of {} {}", count, what), "PETSc cannot read as many at once");
    }
  }

  void read_nodes() {
    std::int32_t announced = 0;
    std::vector<std::int32_t> tags;  // grows as nodes come, whatever is announced
    if (format_ == 22) {
      announced = file_.text_integer();
      for (std::int32_t n = 0; n < announced; ++n) read_node_of_one_line(tags);
    } else {
      const std::int32_t blocks = size();
      announced = size();
      if (format_ == 41) {
        const std::int32_t least = size();
        const std::int32_t most = size();
        if (least > most || most == kMost) throw file_.bad(fmt::format("has nodes {} to {}", least, most));
      }
      for (std::int32_t b = 0; b < blocks; ++b) read_node_block(tags, announced);
    }
    if (announced <= 0) throw file_.bad("has no nodes");
    if (tags.size() != static_cast<std::size_t>(announced)) {
      throw file_.bad(fmt::format("announces {} nodes, and has {}", announced, tags.size()));
    }
    constexpr std::int32_t kMostNodes = kMost / 16;  // PETSc has 16 numbers each, and counts them in 32 bits
    if (announced > kMostNodes) throw file_.bad(fmt::format("has {} nodes", announced), "PETSc reads 134217727");
    mark_nodes(tags);
    expect_end("$EndNodes");
  }

  void mark_nodes(const std::vector<std::int32_t>& tags) {
    const auto [least, most] = std::minmax_element(tags.begin(), tags.end());
    if (*least < 0 || *most == kMost) {
      throw file_.bad(fmt::format("has a node {}", *least < 0 ? *least : *most), "number nodes from 1");
    }
    // PETSc has a table of all numbers in between.
    constexpr std::int64_t kLittle = std::int64_t{1} << 24;
    const std::int64_t table = static_cast<std::int64_t>(*most) - *least + 1;
    if (table > std::max(kLittle, 64 * static_cast<std::int64_t>(tags.size()))) {
      throw file_.bad(fmt::format("has {} nodes, numbered {} to {}", tags.size(), *least, *most),
                      "number them without such gaps");
    }
    first_node_ = *least;
    is_node_.assign(static_cast<std::size_t>(table), false);
    for (const std::int32_t tag : tags) {
      std::vector<bool>::reference there = is_node_[static_cast<std::size_t>(tag - first_node_)];
      if (there) throw file_.bad(fmt::format("has node {} twice", tag), "number every node once");
      there = true;
    }
  }

  GmshElement type_of(std::int32_t number) const {
    const std::optional<GmshElement> type = gmsh_element(number);
    if (!type) {
      throw file_.bad(fmt::format("has elements of type {}, which PETSc does not read", number),
                      "mesh the volume with tetrahedra alone");
    }
    return *type;
  }

  void check_node(std::int32_t element, std::int32_t node) const {
    const std::int64_t at = static_cast<std::int64_t>(node) - first_node_;
    if (at < 0 || at >= static_cast<std::int64_t>(is_node_.size()) || !is_node_[static_cast<std::size_t>(at)]) {
      throw file_.bad(fmt::format("element {} names node {}, which is not there", element, node));
    }
  }

  // PETSc copies its list of groups with every new one.
  void check_group(const GmshElement& type, std::int32_t group) {
    constexpr std::size_t kMostVolumes = 100;
    if (type.dimension != 3 || !volumes_.insert(group).second) return;
    const auto named = named_.find(group);
    if (named != named_.end()) {
      tissues_[group] = named->second;
    } else if (group > static_cast<std::int32_t>(Tissue::bone)) {
      throw file_.bad(fmt::format("physical volume {} is not a tissue", group),
                      "number it 0 torso, 1 heart, 2 blood, 3 lung or 4 bone, or name it so");
    } else if (group > 0) {
      tissues_[group] = static_cast<Tissue>(group);
    }
    if (volumes_.size() > kMostVolumes) {
      throw file_.bad(fmt::format("has more than {} physical volumes", kMostVolumes), "give each tissue one");
    }
  }

  // Of format 2.2. In a text each element has its own type; in a binary file, those that follow have it in common.
  std::int32_t read_elements_alike() {
    constexpr std::int32_t kRoom = 1004;  // that PETSc has for an element's groups and nodes
    const std::int32_t first = file_.integer();
    const std::int32_t second = file_.integer();
    const std::int32_t tags = file_.integer();
    const GmshElement type = type_of(binary_ ? first : second);
    const std::int32_t count = binary_ ? second : 1;
    if (count < 1) throw file_.bad(fmt::format("has a block of {} elements", count));
    if (tags < 0 || tags > kRoom - type.nodes) throw file_.bad(fmt::format("has an element of {} groups", tags));
    for (std::int32_t e = 0; e < count; ++e) {
      const std::int32_t tag = binary_ ? file_.integer() : first;
      std::int32_t group = kNoGroup;
      for (std::int32_t t = 0; t < tags; ++t) {
        const std::int32_t one = file_.integer();
        if (t == 0) group = one;
      }
      check_group(type, group);
      for (std::int32_t n = 0; n < type.nodes; ++n) check_node(tag, file_.integer());
    }
    return count;
  }

  // Of formats 4.0 and 4.1; `before` have been read.
  std::int32_t read_element_block(std::int64_t before, std::int32_t announced) {
    const std::int32_t first = file_.integer();
    const std::int32_t second = file_.integer();
    const std::int32_t number = file_.integer();
    const std::int32_t dimension = format_ == 41 ? first : second;
    const std::int32_t group = group_of(dimension, format_ == 41 ? second : first);
    const GmshElement type = type_of(number);
    if (type.dimension != dimension) {
      throw file_.bad(fmt::format("has elements of type {} in an entity of dimension {}", number, dimension));
    }
    const std::int32_t count = size();
    check_sum(static_cast<std::uint64_t>(before), count, announced, "elements", 1 + type.nodes);
    if (count > 0) check_group(type, group);
    const auto integer = [&] { return format_ == 41 ? size() : file_.integer(); };
    for (std::int32_t e = 0; e < count; ++e) {
      const std::int32_t tag = integer();
      for (std::int32_t n = 0; n < type.nodes; ++n) check_node(tag, integer());
    }
    return count;
  }

  void read_elements() {
    std::int32_t announced = 0;
    std::int64_t there = 0;
    if (format_ == 22) {
      announced = file_.text_integer();
      while (there < announced) there += read_elements_alike();
    } else {
      const std::int32_t blocks = size();
      announced = size();
      if (format_ == 41) {
        for (int i = 0; i < 2; ++i) size();  // the least and the greatest number, which PETSc does not use
      }
      for (std::int32_t b = 0; b < blocks; ++b) there += read_element_block(there, announced);
    }
    if (announced < 0 || there != announced) {
      throw file_.bad(fmt::format("announces {} elements, and has {}", announced, there));
    }
    expect_end("$EndElements");
  }

  GmshFile file_;
  int format_ = 0;      // 22, 40 or 41
  int size_bytes_ = 0;  // of a count in a binary file
  bool binary_ = false;
  std::map<std::int32_t, Tissue> named_;
  std::array<std::unordered_map<std::int32_t, std::int32_t>, 4> entities_;  // to their first physical group
  std::int32_t first_node_ = 0;
  std::vector<bool> is_node_;  // from first_node_ on
  std::set<std::int32_t> volumes_;
  GmshTissues tissues_;
};

}  // namespace

GmshTissues check_gmsh(const std::string& path) { return Check(path).run(); }

}  // namespace weft::kernels::ecg
