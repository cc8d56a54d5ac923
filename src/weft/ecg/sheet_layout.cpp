#include "weft/ecg/sheet_layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "weft/support/error.hpp"
#include "weft/support/time_units.hpp"

namespace weft::ecg {

namespace {

constexpr double kSquare = 5;    // mm
constexpr double kMargin = 5;    // white paper around the squared one
constexpr double kFooter = 11;   // white paper below it, for two lines
constexpr double kSpeed = 25;    // mm a second
constexpr double kPulse = 10;    // mm high
constexpr double kLabel = 5;     // above a row's highest value
constexpr double kBefore = 15;   // of the first column: the pulse stands there
constexpr double kTallest = 40;  // of a row, from its highest to its lowest value
constexpr double kChosen = 25;   // the same where the gain is ours to choose: less, so that rows look alike
constexpr double kColumn = 25;
constexpr double kStrip = 100;  // least width of a strip: the footer's, too
constexpr double kColumnSeconds = 2.5;
constexpr double kSheetSeconds = 10;
constexpr std::size_t kMostStrips = 100;
constexpr double kMostValue = 1e300;  // what is larger counts as missing: sums and gains stay finite

constexpr std::size_t kRows = 3;
constexpr std::size_t kColumns = 4;
constexpr std::array<std::array<std::string_view, kColumns>, kRows> kUsual{
    {{"I", "aVR", "V1", "V4"}, {"II", "aVL", "V2", "V5"}, {"III", "aVF", "V3", "V6"}}};

// One signal's stretch of time on one row; x from the beginning of the first column.
struct Cell {
  const Signal* signal;
  std::string name;
  double from, to;  // seconds since the recording's beginning
  double x;
};

struct Plan {
  std::vector<std::vector<Cell>> rows;
  double width = 0;           // of all columns
  std::vector<double> ticks;  // x, in every row but the last
};

struct Times {
  std::vector<double> seconds;  // since the first
  double length = 0;
  double step = 0;  // on average: ten thousand steps of 1 ms are 10 s, though the last is at 9.999
};

Times in_seconds(const Ecg& ecg) {
  Times times;
  const double factor = seconds_in(ecg.time_units).value_or(1e-3);
  for (const double time : ecg.times) times.seconds.push_back((time - ecg.times.front()) * factor);
  for (const double second : times.seconds) {
    if (std::isfinite(second)) times.length = std::max(times.length, second);
  }
  if (ecg.times.size() > 1) times.step = times.length / static_cast<double>(ecg.times.size() - 1);
  return times;
}

double whole_squares(double length) { return kSquare * std::ceil(length / kSquare - 1e-9); }

const Signal* find_lead(const Ecg& ecg, std::string_view name) {
  const std::string full = "lead " + std::string(name);
  const auto at =
      std::find_if(ecg.signals.begin(), ecg.signals.end(), [&](const Signal& signal) { return signal.name == full; });
  return at == ecg.signals.end() ? nullptr : &*at;
}

// The usual sheet, where all of its leads are there.
std::optional<Plan> usual_plan(const Ecg& ecg, const Times& times) {
  Plan plan;
  const bool quarters = times.length + times.step >= kSheetSeconds - 1e-9;
  const double shown = std::min(times.length, kColumnSeconds);
  // What begins anew in the next column must not touch it; what goes on there may.
  const double width = quarters ? kColumnSeconds * kSpeed : std::max(kColumn, whole_squares(shown * kSpeed + 2.5));
  plan.width = kColumns * width;
  for (const auto& names : kUsual) {
    std::vector<Cell>& row = plan.rows.emplace_back();
    for (std::size_t column = 0; column < kColumns; ++column) {
      const Signal* signal = find_lead(ecg, names[column]);
      if (signal == nullptr) return std::nullopt;
      const double from = quarters ? kColumnSeconds * static_cast<double>(column) : 0;
      row.push_back(
          {signal, std::string(names[column]), from, from + kColumnSeconds, width * static_cast<double>(column)});
    }
  }
  plan.rows.push_back({{find_lead(ecg, "II"), "II", 0, kSheetSeconds, 0}});
  for (std::size_t column = 1; quarters && column < kColumns; ++column) {
    plan.ticks.push_back(width * static_cast<double>(column));
  }
  return plan;
}

Plan strips(const Ecg& ecg, const Times& times) {
  if (ecg.signals.size() > kMostStrips) {
    throw Error(ErrorKind::usage, fmt::format("{} signals", ecg.signals.size()),
                fmt::format("are more than the {} a sheet holds", kMostStrips), "name fewer electrodes");
  }
  Plan plan;
  plan.width = std::max(kStrip, whole_squares(std::min(times.length, kSheetSeconds) * kSpeed));
  for (const Signal& signal : ecg.signals) plan.rows.push_back({{&signal, signal.name, 0, kSheetSeconds, 0}});
  return plan;
}

// The stretch of a signal that a cell shows: seconds since its beginning, and values. A line ends where a value or a
// time is missing; at the limits it is cut between two steps, so that the next column goes on where this one ends.
std::vector<Polyline> stretch(const Cell& cell, const Times& times) {
  std::vector<Polyline> lines(1);
  const auto place = [&](std::size_t step) { return SheetPoint{times.seconds[step], cell.signal->values[step]}; };
  const auto known = [](const SheetPoint& at) { return std::isfinite(at.x) && std::abs(at.y) < kMostValue; };
  const auto cut = [](const SheetPoint& a, const SheetPoint& b, double second) {
    return SheetPoint{second, a.y + (b.y - a.y) * (second - a.x) / (b.x - a.x)};
  };
  for (std::size_t step = 0; step < times.seconds.size(); ++step) {
    const SheetPoint now = place(step);
    if (!known(now)) {
      lines.emplace_back();
      continue;
    }
    const bool follows = step > 0 && known(place(step - 1));
    const SheetPoint last = follows ? place(step - 1) : now;
    for (const double limit : {cell.from, cell.to}) {
      if (last.x < limit && now.x > limit) lines.back().push_back(cut(last, now, limit));
    }
    if (now.x >= cell.from && now.x <= cell.to) lines.back().push_back(now);
  }
  std::erase_if(lines, [](const Polyline& line) { return line.size() < 2; });
  for (Polyline& line : lines) {
    for (SheetPoint& at : line) at.x -= cell.from;
  }
  return lines;
}

// How far a row's values go up and down from zero, which is always in it.
struct Extent {
  double up = 0;
  double down = 0;
};

Extent extent_of(const std::vector<std::vector<Polyline>>& row) {
  Extent extent;
  for (const auto& lines : row) {
    for (const Polyline& line : lines) {
      for (const SheetPoint& at : line) {
        extent.up = std::max(extent.up, at.y);
        extent.down = std::max(extent.down, -at.y);
      }
    }
  }
  return extent;
}

// 10 where that fits `most` mm and is `usual`, else the largest of 1, 2, 5 times a power of ten that does.
double choose_gain(double largest, bool usual) {
  if (largest < 1 / kMostValue) return kPulse;
  if (usual && largest * kPulse <= kTallest) return kPulse;
  const double limit = kChosen / largest;
  const double power = std::pow(10, std::floor(std::log10(limit)));
  for (const double digit : {5.0, 2.0}) {
    if (digit * power <= limit) return digit * power;
  }
  return power;
}

// "25 mm/s  10 mm/mV  heart.h5", or "25 mm/s  gain 5 mm/unit  heart.h5".
std::string scale_text(double gain, bool usual, const std::string& unit, const std::string& file) {
  const std::string_view word = usual && gain == kPulse ? "" : "gain ";
  return fmt::format("{} mm/s  {}{:.6g} mm/{}  {}", kSpeed, word, gain, unit, file);
}

std::string notes_text(const Ecg& ecg, const Times& times, const Plan& plan, const std::string& pulse) {
  std::vector<std::string> notes{pulse};
  if (ecg.time_units.empty()) notes.emplace_back("time has no unit: taken as ms");
  if (!ecg.time_units.empty() && !seconds_in(ecg.time_units)) {
    notes.push_back(fmt::format("time is in '{}': taken as ms", ecg.time_units));
  }
  if (times.length > kSheetSeconds) notes.push_back(fmt::format("the first 10 s of {:.4g} s", times.length));
  const bool columns = plan.rows.front().size() > 1;
  if (columns && times.length > kColumnSeconds && plan.ticks.empty()) {
    notes.emplace_back("columns: the first 2.5 s each");
  }
  return fmt::format("{}", fmt::join(notes, "  ·  "));
}

// As the pulse stands: a flat foot, up, 200 ms, down and a foot again.
Polyline pulse_at(double x, double y) {
  const double high = 0.2 * kSpeed;
  return {{x, y},           {x + 2.5, y}, {x + 2.5, y - kPulse}, {x + 2.5 + high, y - kPulse}, {x + 2.5 + high, y},
          {x + 5 + high, y}};
}

}  // namespace

Sheet lay_out_sheet(const Ecg& ecg, const SheetSpec& spec) {
  if (ecg.times.empty()) throw Error(ErrorKind::data, spec.file, "has no step to draw");
  const Times times = in_seconds(ecg);
  std::optional<Plan> usual_sheet = usual_plan(ecg, times);
  const Plan plan = usual_sheet ? std::move(*usual_sheet) : strips(ecg, times);

  // In mV where the unit is known: the gain that everybody reads is for those.
  const bool volts = spec.units == "mV" || spec.units == "V";
  const double factor = spec.units == "V" ? 1e3 : 1;
  std::vector<std::vector<std::vector<Polyline>>> shown;
  double largest = 0;
  for (const std::vector<Cell>& row : plan.rows) {
    auto& lines = shown.emplace_back();
    for (const Cell& cell : row) {
      for (Polyline& line : lines.emplace_back(stretch(cell, times))) {
        for (SheetPoint& at : line) at.y *= factor;
      }
    }
    const Extent extent = extent_of(lines);
    largest = std::max(largest, extent.up + extent.down);
  }

  Sheet sheet;
  sheet.gain = choose_gain(largest, volts);
  sheet.grid = {kMargin, kMargin};
  sheet.grid_width = kBefore + plan.width + kSquare;
  for (std::size_t r = 0; r < plan.rows.size(); ++r) {
    const Extent extent = extent_of(shown[r]);
    const double top = sheet.grid.y + sheet.grid_height;
    const double zero = top + whole_squares(kLabel + std::max(kPulse, extent.up * sheet.gain));
    // A quarter of a square stays free below, so that a trace does not lie on the next row's first line.
    sheet.grid_height = zero + whole_squares(extent.down * sheet.gain + kSquare / 4) - sheet.grid.y;
    const double left = sheet.grid.x + kBefore;
    sheet.pulses.push_back(pulse_at(sheet.grid.x + 2.5, zero));
    for (std::size_t c = 0; c < plan.rows[r].size(); ++c) {
      const Cell& cell = plan.rows[r][c];
      SheetTrace trace{cell.name, {left + cell.x + 1, top + kLabel - 1}, std::move(shown[r][c])};
      for (Polyline& line : trace.lines) {
        for (SheetPoint& at : line) at = {left + cell.x + at.x * kSpeed, zero - at.y * sheet.gain};
      }
      sheet.traces.push_back(std::move(trace));
    }
    if (r + 1 == plan.rows.size()) break;
    for (const double x : plan.ticks) sheet.ticks.push_back({{left + x, zero - 2}, {left + x, zero + 2}});
  }
  sheet.width = sheet.grid_width + 2 * kMargin;
  sheet.height = sheet.grid.y + sheet.grid_height + kFooter;
  sheet.footer = {sheet.grid.x, sheet.grid.y + sheet.grid_height + 4.5};
  const std::string unit = volts ? "mV" : spec.units.empty() ? "unit" : spec.units;
  sheet.scale = scale_text(sheet.gain, volts, unit, spec.file);
  const double pulse = kPulse / sheet.gain;
  const std::string_view plural = spec.units.empty() && pulse != 1 ? "s" : "";
  sheet.notes = notes_text(ecg, times, plan, fmt::format("pulse: {:.6g} {}{}, 200 ms", pulse, unit, plural));
  return sheet;
}

}  // namespace weft::ecg
