// cli/json_text.hpp - a report as JSON, whatever bytes names, units and paths have.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace weft::cli {

// JSON is UTF-8. What is not (Latin-1 in old files) becomes U+FFFD, and the report is still there. indent -1: one line.
inline std::string json_text(const nlohmann::json& report, int indent = 2) {
  return report.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace weft::cli
