#include "weft/inspect/inspection_report.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "weft/inspect/advice.hpp"
#include "weft/support/shell_word.hpp"

namespace weft::inspect {

std::string command_for(const InspectionReport& report, const Inspection& dataset) {
  const bool imported = dataset.advice.kind == AdviceKind::import_series;
  if (!imported && dataset.advice.kind != AdviceKind::repack) return {};
  const FileQuestion& question = report.question;
  const Question& how = question.question;
  const Question usual;
  const std::filesystem::path path(question.path);
  if (imported) {
    const std::string series = (path.parent_path() / (path.stem().string() + ".series.h5")).string();
    return fmt::format("weft import {} {}", quoted(question.path), quoted(series)) +
           (how.reads.empty() ? "" : " --read " + quoted(how.reads));
  }
  const std::string out = (path.parent_path() / (path.stem().string() + ".repacked.h5")).string();
  std::string command = fmt::format("weft repack {} {}", quoted(question.path), quoted(out));
  const bool told = dataset.known && dataset.known->convention == survey::Convention::told;
  // Where nothing is named, repack takes what it knows the steps of, and leaves what is small.
  const bool small = dataset.facts.logical_bytes() < kLeastRepackedBytes;
  if (small && dataset.alike > 1) return {};  // it would have to name them all
  if (told || !dataset.known || small) {
    command += " --dataset " + quoted(dataset.facts.path);
  }
  if (told) command += " --axes " + quoted(question.axes);
  if (!how.reads.empty()) command += " --read " + quoted(how.reads);
  if (how.reads.find("block") != std::string::npos) command += fmt::format(" --ranks {}", how.ranks);
  if (how.target_bytes != usual.target_bytes) command += fmt::format(" --target {}", how.target_bytes);
  if (how.access.latency_s != usual.access.latency_s) command += fmt::format(" --latency {}s", how.access.latency_s);
  if (how.access.bandwidth != usual.access.bandwidth)
    command += fmt::format(" --bandwidth {}B/s", how.access.bandwidth);
  return command;
}

}  // namespace weft::inspect
