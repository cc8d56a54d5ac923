// predict/measured_rates.hpp - how fast one rank works by itself, and how fast two talk, on this machine
// (predict/rates.hpp).
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "weft/support/mpi_communicator.hpp"

namespace weft::predict {

// Memory that a virtual machine has not used for two seconds may have to come from the host again, and then takes ten
// times as long. A run meets both: memory that has rested so long, and memory that was just given back.
constexpr std::chrono::milliseconds kRest(2500);
double between_moods(double one, double other);

double median(std::vector<double> values);

// Of the calling rank, by name.
std::map<std::string, double> measured_rates();

// Bytes a second of messages from rank 1 to rank 0, one at a time; 0 where they are not on one node. Collective.
double message_rate(MpiCommunicator& comm);

}  // namespace weft::predict
