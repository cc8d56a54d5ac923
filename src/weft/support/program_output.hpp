// weft/support/program_output.hpp - what another program prints.
#pragma once

#include <string>

namespace weft {

struct ProgramOutput {
  std::string text;  // its standard output
  bool ended_well;   // with exit code 0
};

// Of a command line for the shell; blocks until it ends. Not collective. Throws Error(system) where no shell starts.
ProgramOutput output_of(const std::string& command);

}  // namespace weft
