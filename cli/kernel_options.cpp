#ifdef WEFT_HAVE_MPI  // without MPI there are no kernels

#include "cli/kernel_options.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include "cli/json_text.hpp"
#include "cli/on_ranks.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"

namespace weft::cli {

namespace {

kernels::RunOptions finish(const KernelArguments& arguments) {
  kernels::RunOptions options = arguments.options;
  options.align_bytes = parse_bytes(arguments.align);
  options.hints =
      parse_hints({arguments.hints, arguments.cb_nodes, arguments.stripe_count, parse_bytes(arguments.stripe_size)});
  if (options.phases == 0) throw Error(ErrorKind::usage, "--phases 0", "is no run", "give 1 or more");
  return options;
}

}  // namespace

std::map<std::string, std::string> parse_hints(const HintArguments& said) {
  std::map<std::string, std::string> hints;
  for (const std::string& hint : said.hints) {
    const std::size_t equals = hint.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(ErrorKind::usage, fmt::format("--hint '{}'", hint), "is not KEY=VALUE", "as in --hint cb_nodes=2");
    }
    hints[hint.substr(0, equals)] = hint.substr(equals + 1);
  }
  if (said.cb_nodes > 0) hints["cb_nodes"] = std::to_string(said.cb_nodes);
  if (said.stripe_count > 0) hints["striping_factor"] = std::to_string(said.stripe_count);
  if (said.stripe_bytes > 0) hints["striping_unit"] = std::to_string(said.stripe_bytes);
  return hints;
}

void print_plan(const kernels::KernelPlan& plan, bool json) {
  fmt::print("{}", json ? json_text(kernels::to_json(plan)) + "\n" : kernels::to_text(plan));
}

void add_kernel_options(CLI::App& kernel, KernelUse use, KernelArguments& a, const std::string& phase) {
  const char* what = "What is written";
  kernel.add_option("-o,--out", a.options.out, "The output folder: it must be empty or not exist")->group(what);
  kernel.add_option("--phases", a.options.phases, "The number of output phases; each is " + phase)
      ->capture_default_str()
      ->group(what);
  kernel.add_option("--seed", a.options.seed, "The seed of the values; the same seed gives the same files")
      ->capture_default_str()
      ->group(what);

  const char* where = "For the file system";
  kernel.add_option("--align", a.align, "Align the regions of a shared file to multiples of this")
      ->capture_default_str()
      ->group(where);
  kernel.add_option("--stripe-count", a.stripe_count, "Lustre, BeeGFS: the number of stripes of a file")->group(where);
  kernel.add_option("--stripe-size", a.stripe_size, "Lustre, BeeGFS: the size of a stripe")
      ->capture_default_str()
      ->group(where);
  kernel.add_option("--cb-nodes", a.cb_nodes, "MPI-IO: the number of aggregators of a collective write")->group(where);
  kernel.add_option("--hint", a.hints, "MPI-IO: any hint, KEY=VALUE; may be repeated")
      ->allow_extra_args(false)
      ->group(where);

  if (use != KernelUse::run) {
    add_machine_options(kernel, a.machine);
    if (use == KernelUse::advise) add_advice_options(kernel, a.advice);
    kernel.footer(machine_footer(kernel.get_name(), use == KernelUse::advise));
    return;
  }
  const char* measure = "Measuring";
  kernel.add_flag("--plan", a.plan, "Print what would be done; needs no ranks and writes nothing")->group(measure);
  kernel.add_option("--ranks", a.ranks, "With --plan: the number of ranks")->group(measure);
  kernel.add_flag("--yardstick", a.options.yardstick, "Also time raw writes of the same bytes in blocks of 8 MiB")
      ->group(measure);
  kernel.add_flag("--read-back", a.options.read_back, "Read the finished files again and time it")->group(measure);
  kernel.add_flag("--json", a.json, "Print the plan or the report as JSON")->group(measure);
}

void plan_or_run(const PlanOrRun& asked) {
  if (asked.plan && !is_launched()) {
    asked.print_plan(asked.ranks > 0 ? asked.ranks : 1);
    return;
  }
  on_ranks([&](Communicator& comm) {
    try {
      const auto ranks = static_cast<std::uint64_t>(comm.size());
      if (asked.plan) {
        if (comm.rank() == 0) asked.print_plan(asked.ranks > 0 ? asked.ranks : ranks);
        return;
      }
      if (asked.ranks > 0 && asked.ranks != ranks) {
        throw Error(ErrorKind::usage, fmt::format("--ranks {}", asked.ranks),
                    fmt::format("goes with --plan; this run has {}", ranks), "start it with mpirun -n");
      }
      asked.check();
    } catch (const Error& error) {
      throw error.agreed();  // every rank has the same command line
    }
    asked.run(comm);
  });
}

void add_kernels(CLI::App& parent, KernelUse use) {
  add_ecg(parent, use);
  add_awp(parent, use);
  add_blast(parent, use);
  add_picmss(parent, use);
  add_mhm(parent, use);
  add_hard(parent, use);
  if (use != KernelUse::run) add_bare_series(parent, use);
}

void use_kernel(KernelUse use, const CLI::App& kernel, const KernelArguments& arguments, const KernelActions& actions) {
  if (use == KernelUse::predict) {
    print_prediction(arguments.machine, [&](const predict::Surroundings& around) {
      return with_hints_left_out(actions.work(finish(arguments), around, ""), finish(arguments).hints);
    });
    return;
  }
  if (use == KernelUse::advise) {
    const AskedAdvice asked{arguments.machine, arguments.advice, kernel.get_name(),
                            typed_options(kernel, {"--strategy"})};
    print_advice(asked, [&](const predict::Surroundings& around) {
      std::vector<predict::Way> ways;
      for (const std::string& strategy : actions.strategies) {
        ways.push_back({"--strategy " + strategy, with_hints_left_out(actions.work(finish(arguments), around, strategy),
                                                                      finish(arguments).hints)});
      }
      return ways;
    });
    return;
  }
  plan_or_run(
      {.plan = arguments.plan,
       .ranks = arguments.ranks,
       .print_plan = [&](std::uint64_t ranks) { print_plan(actions.plan(finish(arguments), ranks), arguments.json); },
       .check = [&] { finish(arguments); },
       .run =
           [&](Communicator& comm) {
             MpiCommunicator ranks(MPI_COMM_WORLD);
             const nlohmann::ordered_json report = actions.run(ranks, finish(arguments));
             if (comm.rank() != 0) return;
             fmt::print("{}", arguments.json ? json_text(report) + "\n" : kernels::report_text(report));
           }});
}

}  // namespace weft::cli

#endif  // WEFT_HAVE_MPI
