#include "cli/ecg_sheet.hpp"

#include <fmt/format.h>

#include "weft/support/error.hpp"

#ifdef WEFT_HAVE_CAIRO
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#endif

namespace weft::cli {

namespace {

SheetFormat format_of(const std::string& path) {
#ifndef WEFT_HAVE_CAIRO
  throw Error(ErrorKind::usage, "--plot " + path, "this weft was built without cairo",
              "install libcairo2-dev and fonts-dejavu-core, configure with -DWEFT_CAIRO=ON and build again");
#endif
  if (path.ends_with(".png")) return SheetFormat::png;
  if (path.ends_with(".svg")) return SheetFormat::svg;
  if (path.ends_with(".pdf")) return SheetFormat::pdf;
  throw Error(ErrorKind::usage, "--plot " + path, "is not a picture format that weft writes",
              "end the name in .png, .svg or .pdf");
}

#ifdef WEFT_HAVE_CAIRO

constexpr double kPixels = 8;          // a mm
constexpr double kPoints = 72 / 25.4;  // a mm

struct Colour {
  double red, green, blue;
};
constexpr Colour kPaper{1, 0.97, 0.97};
constexpr Colour kFine{0.98, 0.82, 0.82};
constexpr Colour kBold{0.95, 0.64, 0.64};
constexpr Colour kInk{0.06, 0.06, 0.1};
constexpr Colour kGrey{0.35, 0.35, 0.4};

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using Pen = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;

cairo_status_t append(void* bytes, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(bytes)->append(data, data + length);
  return CAIRO_STATUS_SUCCESS;
}

void check(cairo_status_t status, const std::string& path) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw Error(ErrorKind::system, path, fmt::format("cannot draw: {}", cairo_status_to_string(status)));
}

// Cairo refuses what is not UTF-8, and a file name or an electrode's may be anything.
std::string utf8(const std::string& text) {
  using nlohmann::json;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

void set(cairo_t* pen, const Colour& colour) { cairo_set_source_rgb(pen, colour.red, colour.green, colour.blue); }

void stroke(cairo_t* pen, const ecg::Polyline& line) {
  for (const ecg::SheetPoint& at : line) cairo_line_to(pen, at.x, at.y);
  cairo_stroke(pen);
}

// In a PNG each line fills whole pixels: a fine one that beside its place, a bold one those on both sides.
void squared_paper(cairo_t* pen, const ecg::Sheet& sheet) {
  const auto [left, top] = sheet.grid;
  const double right = left + sheet.grid_width;
  const double bottom = top + sheet.grid_height;
  cairo_rectangle(pen, left, top, sheet.grid_width, sheet.grid_height);
  set(pen, kPaper);
  cairo_fill(pen);
  cairo_set_line_cap(pen, CAIRO_LINE_CAP_SQUARE);
  for (const bool bold : {false, true}) {
    const double beside = bold ? 0 : 0.5 / kPixels;
    for (int mm = 0; mm <= std::lround(sheet.grid_width); ++mm) {
      if ((mm % 5 == 0) != bold) continue;
      cairo_move_to(pen, left + mm + beside, top);
      cairo_line_to(pen, left + mm + beside, bottom);
    }
    for (int mm = 0; mm <= std::lround(sheet.grid_height); ++mm) {
      if ((mm % 5 == 0) != bold) continue;
      cairo_move_to(pen, left, top + mm + beside);
      cairo_line_to(pen, right, top + mm + beside);
    }
    set(pen, bold ? kBold : kFine);
    cairo_set_line_width(pen, (bold ? 2 : 1) / kPixels);
    cairo_stroke(pen);
  }
}

// At most `width` mm wide: a long one gets smaller letters.
void write(cairo_t* pen, const std::string& text, const ecg::SheetPoint& at, double size, double width) {
  const std::string letters = utf8(text);
  cairo_set_font_size(pen, size);
  cairo_text_extents_t extents;
  cairo_text_extents(pen, letters.c_str(), &extents);
  if (extents.x_advance > width) cairo_set_font_size(pen, size * width / extents.x_advance);
  cairo_move_to(pen, at.x, at.y);
  cairo_show_text(pen, letters.c_str());
}

void draw_all(cairo_t* pen, const ecg::Sheet& sheet) {
  set(pen, {1, 1, 1});
  cairo_paint(pen);
  squared_paper(pen, sheet);

  set(pen, kInk);
  cairo_set_line_join(pen, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(pen, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_width(pen, 0.25);
  for (const ecg::Polyline& tick : sheet.ticks) stroke(pen, tick);
  cairo_set_line_width(pen, 0.32);
  for (const ecg::Polyline& pulse : sheet.pulses) stroke(pen, pulse);
  for (const ecg::SheetTrace& trace : sheet.traces) {
    for (const ecg::Polyline& line : trace.lines) stroke(pen, line);
  }

  cairo_select_font_face(pen, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
  const double right = sheet.grid.x + sheet.grid_width;
  for (const ecg::SheetTrace& trace : sheet.traces) write(pen, trace.name, trace.label, 3.2, right - trace.label.x - 1);
  cairo_select_font_face(pen, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  write(pen, sheet.scale, sheet.footer, 3, sheet.grid_width);
  set(pen, kGrey);
  write(pen, sheet.notes, {sheet.footer.x, sheet.footer.y + 4}, 2.4, sheet.grid_width);
}

std::string picture(const ecg::Sheet& sheet, SheetFormat format, const std::string& path) {
  std::string bytes;
  const double scale = format == SheetFormat::png ? kPixels : kPoints;
  const double width = sheet.width * scale;
  const double height = sheet.height * scale;
  cairo_surface_t* made = nullptr;
  switch (format) {
    case SheetFormat::png:
      made = cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::lround(width)),
                                        static_cast<int>(std::lround(height)));
      break;
    case SheetFormat::svg: made = cairo_svg_surface_create_for_stream(append, &bytes, width, height); break;
    case SheetFormat::pdf: made = cairo_pdf_surface_create_for_stream(append, &bytes, width, height); break;
  }
  const Surface surface(made, cairo_surface_destroy);
  const Pen pen(cairo_create(surface.get()), cairo_destroy);
  cairo_scale(pen.get(), scale, scale);
  draw_all(pen.get(), sheet);
  check(cairo_status(pen.get()), path);
  if (format == SheetFormat::png) check(cairo_surface_write_to_png_stream(surface.get(), append, &bytes), path);
  cairo_surface_finish(surface.get());
  check(cairo_surface_status(surface.get()), path);
  return bytes;
}

#endif  // WEFT_HAVE_CAIRO

}  // namespace

EcgSheetFile::EcgSheetFile(const std::string& path) : path_(path), format_(format_of(path)), file_(path) {}

void EcgSheetFile::draw([[maybe_unused]] const ecg::Sheet& sheet) {
#ifdef WEFT_HAVE_CAIRO
  const std::string bytes = picture(sheet, format_, path_);
  file_.store().write_at(0, std::as_bytes(std::span(bytes)));
  file_.finish();
#endif
}

}  // namespace weft::cli
