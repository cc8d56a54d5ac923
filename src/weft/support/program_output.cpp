#include "weft/support/program_output.hpp"

#include <array>
#include <cerrno>
#include <cstdio>

#include "weft/support/error.hpp"

namespace weft {

ProgramOutput output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw system_error(command, "cannot be started", errno);
  ProgramOutput output{};
  std::array<char, 4096> some{};
  for (std::size_t got = 0; (got = std::fread(some.data(), 1, some.size(), pipe)) > 0;) {
    output.text.append(some.data(), got);
  }
  output.ended_well = ::pclose(pipe) == 0;
  return output;
}

}  // namespace weft
