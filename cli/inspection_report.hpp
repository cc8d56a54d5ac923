// cli/inspection_report.hpp - a file's inspection for people, and for programs.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "weft/inspect/file_inspection.hpp"
#include "weft/inspect/measurement.hpp"

namespace weft::cli {

struct InspectionReport {
  inspect::FileQuestion question;
  inspect::FileInspection file;
  // With --measure: what the store under the file costs, and the reads of the datasets that were measured, by path.
  std::optional<layout::AccessCost> measured_access_cost{};
  std::map<std::string, inspect::Measured> measured{};
};

// How many datasets people are shown the reads of, where they ask for none by name.
inline constexpr std::size_t kMostWithReads = 5;

// The datasets that people are shown the reads of: all that were asked for, else the largest few.
std::vector<const inspect::Inspection*> shown_with_reads(const InspectionReport& report);

// The command that does what the advice on a dataset says; "" where there is nothing to do.
std::string command_for(const InspectionReport& report, const inspect::Inspection& dataset);

std::string to_text(const InspectionReport& report);
nlohmann::json to_json(const InspectionReport& report);

}  // namespace weft::cli
