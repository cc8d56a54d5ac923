// cli/with_policy.hpp - the file of rules for `weft with --layout FILE.toml`.
//
//   [[dataset]]
//   match = "/results/*"              # a pattern of the shell, of the path in the file
//   reads = "snapshot=1,trace=4"      # or: algorithm = "isotropic", or: chunk = [76, 1700], or: keep = true
//   target = "4MiB"
//   steps = 2000                      # expected along an unlimited first axis
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace weft::cli {

// The rules as with/settings.hpp takes them. Throws Error(usage) with the file and the line of what cannot be used.
nlohmann::json policy_of(const std::string& path);

}  // namespace weft::cli
