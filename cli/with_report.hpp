// cli/with_report.hpp - what the processes of a program left about their HDF5, put together.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace weft::cli {

// The reports in a folder, one of each process that used HDF5, added up by file and dataset: datasets[{file, path,
// shape, chunk, wanted_chunk, element_bytes, filters, cache_bytes, created, reads{KIND{calls, bytes, collective,
// chunks, seconds, requests{...}}}, writes, gathered_steps, gathered_writes, advice[]}], files[...], processes, hdf5[].
// Seconds are added over processes; `processes` says over how many.
nlohmann::json gathered_report(const std::string& folder);

// For people: a table of the datasets, and what could be better.
std::string with_report_text(const nlohmann::json& report);

}  // namespace weft::cli
