// cli/import_command.hpp - the command `weft import`.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace weft::cli {

struct ImportArguments {
  std::string in;
  std::string out;
  std::vector<std::string> fields;
  std::string axes;
  std::string time;
  std::string mesh;
  std::string reads = "snapshot=1,trace=1";
  std::string target = "1MiB";
  std::string latency = "1ms";
  std::string bandwidth = "1GB/s";
  std::string filter;
  std::string budget = "1GiB";
  bool overwrite = false;
  bool take_over = false;
  bool json = false;
};

void add_import_command(CLI::App& app);

// What the command does. Prints; throws Error.
void import_file(const ImportArguments& arguments);

}  // namespace weft::cli
