// kernels/io/read_back.hpp - a run's files read again, as IOR's read phase does it.
//
// The bytes of all files, one behind the other, are shared evenly among the ranks, and each reads the share of the rank
// after it in requests of 8 MiB: on several machines these are bytes that another one wrote. Before, they are brought
// to the disk and the system is asked to forget them; `cold` says whether it did.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "weft/support/communicator.hpp"

namespace weft::kernels {

// Reads a file, or every file of a folder and its folders. Returns, on every rank: files, bytes, reads, seconds (the
// slowest rank's), cold, latency{open, read} (kernels/io/call_latency.hpp). Collective; throws agreed errors.
nlohmann::ordered_json read_back(Communicator& comm, const std::string& path);

// As people read it.
std::string read_back_text(const nlohmann::json& report);

}  // namespace weft::kernels
