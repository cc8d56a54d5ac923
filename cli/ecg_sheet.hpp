// cli/ecg_sheet.hpp - an electrocardiogram's sheet as a picture: PNG, SVG or PDF, drawn with cairo.
//
// SVG and PDF print at their true size. A PNG has 8 pixels a millimetre (203 dpi), so that every line of the squared
// paper begins at a whole pixel. The folder is asked before anything is read: the file is begun, as NAME.part, when the
// object is made, and has its name when draw() has ended; what is not drawn is removed. Not collective.
#pragma once

#include <string>

#include "weft/convert/part_file.hpp"
#include "weft/ecg/sheet_layout.hpp"

namespace weft::cli {

enum class SheetFormat : unsigned char { png, svg, pdf };

class EcgSheetFile {
 public:
  // Throws Error(usage) where the name ends in none of .png, .svg and .pdf, or this build cannot draw; Error(system)
  // where the file cannot be created.
  explicit EcgSheetFile(const std::string& path);
  void draw(const ecg::Sheet& sheet);

 private:
  std::string path_;
  SheetFormat format_;
  convert::PartFile file_;
};

}  // namespace weft::cli
