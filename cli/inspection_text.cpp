#include "cli/inspection_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <vector>

#include "cli/text_table.hpp"
#include "weft/support/amount.hpp"

namespace weft::cli {

namespace {

using inspect::Inspection;
using inspect::Price;
using inspect::PricedRead;
using survey::StorageKind;

constexpr std::size_t kMostRows = 40;  // of the table of datasets

std::string file_line(const InspectionReport& report) {
  const inspect::FileInspection& file = report.file;
  std::string line = fmt::format("{}: {}: {} of data", report.question.path, format_bytes(file.survey.file_bytes),
                                 format_bytes(file.data_bytes));
  if (file.padding_bytes > 0) line += fmt::format(", {} of them padding", format_bytes(file.padding_bytes));
  line += fmt::format("; {} of metadata", format_bytes(file.survey.metadata_bytes));
  if (file.survey.free_bytes > 0) line += fmt::format("; {} free", format_bytes(file.survey.free_bytes));
  // What superblocks, heaps and gaps take is not worth a word.
  if (file.other_bytes > std::max<std::uint64_t>(4096, file.survey.file_bytes / 100)) {
    line += fmt::format("; {} of text and lists of any length, or lost", format_bytes(file.other_bytes));
  }
  return line + "\n";
}

std::string shape_text(const survey::DatasetFacts& facts) {
  if (facts.scalar) return "scalar";
  if (facts.shape.empty()) return "empty";
  std::string text;
  for (std::size_t axis = 0; axis < facts.shape.size(); ++axis) {
    // + where an axis may grow, as in netCDF's "UNLIMITED".
    const bool grows = facts.most[axis] != facts.shape[axis];
    text += fmt::format("{}{}{}", axis == 0 ? "" : "x", facts.shape[axis], grows ? "+" : "");
  }
  return text;
}

std::string ratio_text(const survey::DatasetFacts& facts) {
  if (facts.stored_bytes == 0 || !facts.movable) return "-";
  return fmt::format("{:.2f}", static_cast<double>(facts.logical_bytes()) / static_cast<double>(facts.stored_bytes));
}

std::string dataset_table(const InspectionReport& report) {
  std::vector<std::vector<std::string>> rows{
      {"dataset", "shape", "type", "storage", "chunk", "filters", "stored", "ratio", "wasted"}};
  for (const Inspection& one : report.file.datasets) {
    if (rows.size() > kMostRows) break;
    const survey::DatasetFacts& facts = one.facts;
    const std::uint64_t wasted = one.padding_bytes + facts.index_bytes;
    rows.push_back({one.path() + (one.alike > 1 ? fmt::format(" ({} of them)", one.alike) : ""), shape_text(facts),
                    facts.type, std::string(name_of(facts.storage)), facts.chunk.empty() ? "-" : to_string(facts.chunk),
                    storage::to_text(facts.filters), format_bytes(facts.stored_bytes), ratio_text(facts),
                    wasted == 0 ? "-" : format_bytes(wasted)});
  }
  std::string table = text_table(rows, 6);
  if (report.file.datasets.size() > kMostRows) {
    table += fmt::format("and {} smaller ones; --json has all\n", report.file.datasets.size() - kMostRows);
  }
  return table;
}

std::string times_text(double amplification) {
  return amplification < 100 ? fmt::format("{:.2f}", amplification)
                             : format_count(static_cast<std::uint64_t>(std::llround(amplification)));
}

std::vector<std::string> price_cells(const PricedRead& read, const Price& price, const layout::AccessCost& access) {
  return {format_count(price.requests), format_bytes(price.bytes), times_text(read.amplification(price)),
          format_seconds(price.seconds(access))};
}

// Two rows a read: as the dataset is, and repacked.
std::string read_table(const Inspection& one, const layout::AccessCost& access) {
  std::vector<std::vector<std::string>> rows{{"read", "returns", "layout", "HDF5: requests", "bytes", "times", "time",
                                              "Weft: requests", "bytes", "times", "time"}};
  const auto add = [&](std::vector<std::string> row, const PricedRead& read, const Price& hdf5, const Price& weft) {
    for (const Price& price : {hdf5, weft}) {
      for (std::string& cell : price_cells(read, price, access)) row.push_back(std::move(cell));
    }
    rows.push_back(std::move(row));
  };
  for (const PricedRead& read : one.reads) {
    add({read.name, format_bytes(read.asked_bytes), "as it is"}, read, read.hdf5, read.weft);
    if (read.hdf5_repacked) add({"", "", "repacked"}, read, *read.hdf5_repacked, *read.weft_repacked);
  }
  return text_table(rows, 3);
}

std::string axes_lines(const Inspection& one) {
  const survey::KnownAxes& known = *one.known;
  std::string text = fmt::format("{}: axes {}", one.path(), to_text(known));
  if (known.form == survey::Form::folded) text += fmt::format(", seen as {}", to_string(known.shape));
  if (known.form == survey::Form::one_a_step) text += fmt::format(", a dataset a step, {} of them", one.alike);
  if (known.convention == survey::Convention::assumed) text += "; if that is wrong, use --axes";
  text += "\n";
  std::vector<std::string> names;
  for (const survey::Variable& variable : known.variables) {
    if (names.size() == 8) {
      names.emplace_back("...");
      break;
    }
    names.push_back(variable.units.empty() ? variable.name : fmt::format("{} ({})", variable.name, variable.units));
  }
  if (!known.time.empty()) {
    const std::string units = known.time_units.empty() ? "" : fmt::format(" ({})", known.time_units);
    names.push_back(fmt::format("times in {}{}", known.time, units));
  }
  if (!names.empty()) text += fmt::format("{}\n", fmt::join(names, "; "));
  return text;
}

std::string chunk_line(const Inspection& one) {
  const survey::DatasetFacts& facts = one.facts;
  const auto text = [&](const Shape& chunk) {
    return fmt::format("{} ({})", to_string(chunk), format_bytes(element_count(chunk) * facts.element_bytes));
  };
  std::string line = facts.chunk.empty() ? std::string("in one piece") : "chunk " + text(facts.chunk);
  if (one.better) line += "; Weft would choose " + text(*one.better);
  return line + "\n";
}

std::vector<std::string> compared_cells(const std::optional<inspect::Compared>& compared) {
  if (!compared) return {"-", "-", "-", "-", "-", "-"};
  const bool counted = compared->measured.requests > 0;
  return {format_count(compared->predicted.requests),  counted ? format_count(compared->measured.requests) : "-",
          format_bytes(compared->predicted.bytes),     counted ? format_bytes(compared->measured.bytes) : "-",
          format_seconds(compared->predicted_seconds), format_seconds(compared->seconds)};
}

std::string measured_lines(const inspect::Measured& measured, const layout::AccessCost& access) {
  std::vector<std::vector<std::string>> rows{
      {"read", "through", "samples", "requests", "measured", "bytes", "measured", "time", "measured"}};
  std::string notes;
  for (const inspect::MeasuredRead& read : measured.reads) {
    for (const auto& [name, compared] : {std::pair{"HDF5", read.hdf5}, std::pair{"Weft", read.weft}}) {
      std::vector<std::string> row{read.name, name, compared ? std::to_string(compared->samples) : "-"};
      for (std::string& cell : compared_cells(compared)) row.push_back(std::move(cell));
      rows.push_back(std::move(row));
    }
    if (!read.left_out.empty()) notes += fmt::format("{}: {}\n", read.name, read.left_out);
  }
  return fmt::format("measured {}; predicted for the {} a request and {}/s measured here\n\n{}{}",
                     measured.cold ? "cold" : "warm (the system keeps the file in memory)",
                     format_seconds(access.latency_s), format_bytes(static_cast<std::uint64_t>(access.bandwidth)),
                     text_table(rows, 2), notes);
}

std::string advice_line(const InspectionReport& report, const Inspection& one) {
  if (one.advice.text.empty()) return {};
  const std::string command = inspect::command_for(report, one);
  return fmt::format("advice: {}: {}{}\n", one.path(), one.advice.text, command.empty() ? "" : ": " + command);
}

std::string reads_section(const InspectionReport& report, const Inspection& one) {
  std::string text = "\n" + axes_lines(one);
  if (!one.not_priced.empty()) return text + fmt::format("not priced: {}\n", one.not_priced);
  text += chunk_line(one) + "\n" + read_table(one, report.question.question.access);
  if (const auto found = report.measured.find(one.facts.path); found != report.measured.end()) {
    text += "\n" + measured_lines(found->second, *report.measured_access_cost);
  }
  return text + advice_line(report, one);
}

std::string how_priced(const inspect::Question& question) {
  return fmt::format(
      "Priced at {} a request, {:.4g} GB/s and the time a core takes to decode filters; a block is one of {} shares. "
      "HDF5: its own reader with a chunk cache of {}.\n",
      format_seconds(question.access.latency_s), question.access.bandwidth / 1e9, question.ranks,
      format_bytes(question.hdf5.chunk_cache_bytes));
}

bool has_reads(const Inspection& one) { return one.known && (!one.reads.empty() || !one.not_priced.empty()); }

}  // namespace

std::vector<const Inspection*> shown_with_reads(const InspectionReport& report) {
  std::vector<const Inspection*> shown;
  const bool all = !report.question.datasets.empty();
  for (const Inspection& one : report.file.datasets) {
    const bool told = one.known && one.known->convention == survey::Convention::told;
    if (!has_reads(one) || (!all && !told && one.reads.empty())) continue;
    if (all || told || shown.size() < kMostWithReads) shown.push_back(&one);
  }
  return shown;
}

std::string inspection_text(const InspectionReport& report) {
  std::string text = file_line(report);
  if (report.file.datasets.empty()) return text + "it holds no dataset\n";
  text += "\n" + dataset_table(report);
  const std::vector<const Inspection*> shown = shown_with_reads(report);
  for (const Inspection* one : shown) text += reads_section(report, *one);
  // Of the others, only what ought to be done.
  std::string others;
  std::size_t hidden = 0;
  for (const Inspection& one : report.file.datasets) {
    if (std::find(shown.begin(), shown.end(), &one) != shown.end()) continue;
    if (one.known && one.known->axes.size() > 1 && one.not_priced.empty()) ++hidden;
    if (one.advice.kind == inspect::AdviceKind::unreadable) others += advice_line(report, one);
  }
  if (!others.empty()) text += "\n" + others;
  if (hidden > 0) {
    text += fmt::format("\n{} more with steps: --dataset shows one, --json all\n", format_count(hidden));
  }
  const bool priced =
      std::any_of(shown.begin(), shown.end(), [](const Inspection* one) { return !one->reads.empty(); });
  if (priced) return text + "\n" + how_priced(report.question.question);
  if (shown.empty())
    text += "\nno dataset is known to hold steps: --dataset NAME --axes step,node,... says that one does\n";
  return text;
}

}  // namespace weft::cli
