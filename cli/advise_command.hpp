// cli/advise_command.hpp - weft advise: the ways of a run, ranked by what they would take on a store.
#pragma once

namespace CLI {
class App;
}

namespace weft::cli {

void add_advise_command(CLI::App& app);

}  // namespace weft::cli
