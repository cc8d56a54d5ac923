// cli/advice_output.hpp - what weft advise prints, and its trial runs.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "cli/machine_options.hpp"
#include "predict/advice.hpp"

namespace weft::cli {

struct AdviceArguments {
  std::uint64_t verify = 0;  // try so many
  std::string folder;        // there
  std::string launch = "mpirun -n {ranks}";
};

void add_advice_options(CLI::App& command, AdviceArguments& arguments);

// What was typed of a kernel's options, but for those of the machine and of the advice, and for `left_out`.
std::string typed_options(const CLI::App& kernel, const std::vector<std::string>& left_out);

struct AskedAdvice {
  const MachineArguments& machine;
  const AdviceArguments& advice;
  std::string kernel;
  std::string typed;  // options that all ways share
  // What to do with the options of the first way; a run of the kernel where there is nothing else.
  std::function<std::string(const std::string& options)> next{};
};
// Prints the ways, the quickest first, and tries the first ones where that is asked for. Throws as predict::advise().
void print_advice(const AskedAdvice& asked,
                  const std::function<std::vector<predict::Way>(const predict::Surroundings&)>& ways);

}  // namespace weft::cli
