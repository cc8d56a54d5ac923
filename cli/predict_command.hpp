// cli/predict_command.hpp - weft predict: what a run of weft run would take on a store.
#pragma once

namespace CLI {
class App;
}

namespace weft::cli {

void add_predict_command(CLI::App& app);

}  // namespace weft::cli
