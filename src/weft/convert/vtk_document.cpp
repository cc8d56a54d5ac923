#include "weft/convert/vtk_document.hpp"

#include <fmt/format.h>

#include <bit>
#include <iterator>

#include "weft/view/xml_text.hpp"

namespace weft::convert {

namespace {

std::string_view vtk_type(DataType type) {
  switch (type) {
    case DataType::float32: return "Float32";
    case DataType::float64: return "Float64";
    case DataType::int32: return "Int32";
    case DataType::int64: return "Int64";
    case DataType::uint8: return "UInt8";
  }
  return "";
}

std::string opening(std::string_view type, bool compressed) {
  constexpr bool kLittle = std::endian::native == std::endian::little;
  return fmt::format(R"(<?xml version="1.0"?>
<VTKFile type="{}" version="1.0" byte_order="{}" header_type="UInt64"{}>
)",
                     type, kLittle ? "LittleEndian" : "BigEndian",
                     compressed ? R"( compressor="vtkZLibDataCompressor")" : "");
}

std::string described(const VtkArray& array) {
  std::string text = fmt::format(R"(type="{}" Name="{}")", vtk_type(array.type), view::escaped_xml(array.name));
  if (array.components > 1) text += fmt::format(" NumberOfComponents=\"{}\"", array.components);
  if (array.tuples > 0) text += fmt::format(" NumberOfTuples=\"{}\"", array.tuples);
  return text;
}

// x first; a grid of two axes has one layer.
std::string extent_of(const storage::RegularGrid& grid) {
  std::string text;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t axes = grid.shape.size();
    text += fmt::format("{}0 {}", axis == 0 ? "" : " ", axis < axes ? grid.shape[axes - 1 - axis] - 1 : 0);
  }
  return text;
}

class Head {
 public:
  Head(const VtkDocument& document, std::span<const std::uint64_t> offsets)
      : document_(document), offsets_(offsets), next_global_(document.grid == nullptr ? 4 : 0) {}

  std::string text() {
    const std::string_view type = document_.grid == nullptr ? "UnstructuredGrid" : "ImageData";
    text_ = opening(type, document_.compressed);
    if (document_.grid == nullptr) {
      text_ += "<UnstructuredGrid>\n";
    } else {
      const auto& [shape, origin, spacing] = *document_.grid;
      text_ +=
          fmt::format("<ImageData WholeExtent=\"{}\" Origin=\"{} {} {}\" Spacing=\"{} {} {}\">\n",
                      extent_of(*document_.grid), origin[0], origin[1], origin[2], spacing[0], spacing[1], spacing[2]);
    }
    std::size_t next = next_global_;
    section("FieldData", document_.globals, next);
    if (document_.grid == nullptr) {
      text_ += fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n", document_.points, document_.cells);
    } else {
      text_ += fmt::format("<Piece Extent=\"{}\">\n", extent_of(*document_.grid));
    }
    section("PointData", document_.on_nodes, next);
    section("CellData", document_.on_cells, next);
    if (document_.grid == nullptr) {
      next = 0;
      section("Points", {{"Points", document_.coordinates, 3}}, next);
      section("Cells", {{"connectivity", DataType::int64}, {"offsets", DataType::int64}, {"types", DataType::uint8}},
              next);
    }
    text_ += fmt::format("</Piece>\n</{}>\n", type);
    return std::move(text_);
  }

 private:
  void section(std::string_view name, const std::vector<VtkArray>& arrays, std::size_t& next) {
    text_ += fmt::format("<{}>\n", name);
    for (const VtkArray& array : arrays) {
      text_ += fmt::format("<DataArray {} format=\"appended\" offset=\"{}\"/>\n", described(array), offsets_[next++]);
    }
    text_ += fmt::format("</{}>\n", name);
  }

  const VtkDocument& document_;
  std::span<const std::uint64_t> offsets_;
  std::size_t next_global_;
  std::string text_;
};

constexpr std::string_view kAppended = "<AppendedData encoding=\"raw\">\n_";

}  // namespace

std::string vtk_head(const VtkDocument& document, std::span<const std::uint64_t> offsets, std::uint64_t length) {
  std::string text = Head(document, offsets).text();
  if (text.size() + kAppended.size() < length) text.append(length - kAppended.size() - text.size(), ' ');
  text += kAppended;
  return text;
}

std::uint64_t vtk_head_length(const VtkDocument& document) {
  const std::vector<std::uint64_t> longest(document.arrays(), ~0ULL);
  return vtk_head(document, longest, 0).size();
}

std::string_view vtk_tail() { return "\n</AppendedData>\n</VTKFile>\n"; }

std::string pvtu_text(const VtkDocument& document, std::span<const VtkGlobalText> globals,
                      std::span<const std::string> files) {
  std::string text = opening("PUnstructuredGrid", document.compressed) + "<PUnstructuredGrid GhostLevel=\"0\">\n";
  text += "<FieldData>\n";
  for (const VtkGlobalText& global : globals) {
    text += fmt::format("<DataArray {} format=\"ascii\">{}</DataArray>\n", described(global.array), global.values);
  }
  text += "</FieldData>\n";
  const auto section = [&](std::string_view name, const std::vector<VtkArray>& arrays) {
    text += fmt::format("<{}>\n", name);
    for (const VtkArray& array : arrays) text += fmt::format("<PDataArray {}/>\n", described(array));
    text += fmt::format("</{}>\n", name);
  };
  section("PPointData", document.on_nodes);
  section("PCellData", document.on_cells);
  section("PPoints", {{"Points", document.coordinates, 3}});
  for (const std::string& file : files) text += fmt::format("<Piece Source=\"{}\"/>\n", view::escaped_xml(file));
  return text + "</PUnstructuredGrid>\n</VTKFile>\n";
}

std::string pvd_text(std::span<const PvdEntry> steps) {
  std::string text = opening("Collection", false) + "<Collection>\n";
  for (const PvdEntry& step : steps) {
    fmt::format_to(std::back_inserter(text), "<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", step.time,
                   view::escaped_xml(step.file));
  }
  return text + "</Collection>\n</VTKFile>\n";
}

}  // namespace weft::convert
