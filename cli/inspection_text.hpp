// cli/inspection_text.hpp - a file's inspection for people.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "weft/inspect/inspection_report.hpp"

namespace weft::cli {

using inspect::InspectionReport;

// How many datasets people are shown the reads of, where they ask for none by name.
inline constexpr std::size_t kMostWithReads = 5;

// The datasets that people are shown the reads of: all that were asked for, else the largest few.
std::vector<const inspect::Inspection*> shown_with_reads(const InspectionReport& report);

std::string inspection_text(const InspectionReport& report);

}  // namespace weft::cli
