// cli/interruption.hpp - Ctrl-C and a scheduler's end, for commands that stop between two pieces of work and clear up.
#pragma once

namespace weft::cli {

// From now on SIGINT and SIGTERM end nothing by themselves; interrupted() tells of them.
void listen_for_interruption();
bool interrupted();

}  // namespace weft::cli
