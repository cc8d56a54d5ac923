// weft/inspect/file_inspection.hpp - a whole file inspected: what it holds, what reading it costs, what to do.
//
// Reads metadata alone. Not collective.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "weft/inspect/inspection.hpp"
#include "weft/support/own_process.hpp"
#include "weft/survey/survey.hpp"

namespace weft::inspect {

struct FileQuestion {
  std::string path;
  std::vector<std::string> datasets{};  // those asked for; none: all
  std::string axes{};                   // of the datasets asked for, else of the largest with so many axes
  Question question{};
  // Of those that were not asked for, so many are priced, the largest: choosing a chunk takes milliseconds each.
  std::size_t most_priced = std::numeric_limits<std::size_t>::max();
};

struct FileInspection {
  survey::Survey survey;
  std::vector<Inspection> datasets;  // largest first; those of a series with a dataset a step are told once
  std::uint64_t data_bytes = 0;      // that all datasets take, but for views and what lies in other files
  std::uint64_t padding_bytes = 0;
  std::uint64_t other_bytes = 0;  // neither data, nor metadata, nor free: variable-length text and lists, or lost
};

// `told`, where it is given, hears how far it is. Throws as survey() does; Error(data) where a dataset asked for
// is not there; Error(usage) where axes or reads do not fit a dataset that was asked for (of others it is noted).
FileInspection inspect_file(const FileQuestion& question, OwnProcess* told = nullptr);

}  // namespace weft::inspect
