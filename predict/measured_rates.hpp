// predict/measured_rates.hpp - how fast one rank works by itself, and how fast two talk, on this machine
// (predict/rates.hpp).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "weft/support/mpi_communicator.hpp"

namespace weft::predict {

double median(std::vector<double> values);

// Of a rank while all do the same, by name: cores share more than they show. Collective.
std::map<std::string, double> measured_rates(MpiCommunicator& comm);

// Bytes a second of a rank, into memory that the system has not given before, while all do the same. Collective.
double fresh_copy_rate(MpiCommunicator& comm);

// A message from rank 1 to rank 0: seconds to begin with, and bytes a second. Of ranks on one node, else nothing.
// Collective.
struct MessageCost {
  double start_s = 0;
  double bytes_per_s = 0;
};
MessageCost message_cost(MpiCommunicator& comm);

}  // namespace weft::predict
