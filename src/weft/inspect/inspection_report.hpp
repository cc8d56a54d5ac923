// weft/inspect/inspection_report.hpp - a file's inspection for programs: as JSON, and with the commands to type.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "weft/inspect/file_inspection.hpp"
#include "weft/inspect/measurement.hpp"

namespace weft::inspect {

struct InspectionReport {
  FileQuestion question;
  FileInspection file;
  // Where reads were measured: what the store under the file costs, and the reads of each dataset, by its path.
  std::optional<layout::AccessCost> measured_access_cost{};
  std::map<std::string, Measured> measured{};
};

// The command that does what the advice on a dataset says; "" where there is nothing to do.
std::string command_for(const InspectionReport& report, const Inspection& dataset);

nlohmann::json to_json(const InspectionReport& report);

}  // namespace weft::inspect
