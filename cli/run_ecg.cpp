// weft run ecg: a heart's potentials.
#ifdef WEFT_HAVE_MPI

#include <fmt/format.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/json_text.hpp"
#include "cli/kernel_options.hpp"
#include "cli/solver.hpp"
#include "kernels/ecg/ecg_kernel.hpp"
#include "kernels/ecg/step_source.hpp"
#include "weft/ecg/ecg.hpp"
#include "weft/series/spec_words.hpp"
#include "weft/storage/chunk_codec.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"

namespace weft::cli {

namespace {

// What the command line says, as text; turned into options once MPI runs, so that a bad value gets its line once.
struct RunEcgArguments {
  kernels::ecg::EcgOptions options;
  std::string strategy = "owner";
  std::string layout = "reads";
  std::string fields;
  std::string mesh;
  std::string dt = "0.1ms";
  std::string duration = "450ms";
  std::string print_every = "1ms";
  std::string model = "bidomain";
  std::string velocity;
  std::string plates;
  std::string mesh_unit = "mm";
  std::vector<std::string> stimulate;
  std::vector<std::string> electrodes;
  bool as_measured = false;
  std::string target = "1MiB";
  std::string budget = "256MiB";
  std::string direct = "auto";
  std::string align = "0";
  std::string stripe_size = "0";
  std::string latency = "1ms";
  std::string bandwidth = "1GB/s";
  std::vector<std::string> hints;
  std::uint64_t cb_nodes = 0;
  std::string compute = "0ms";
  std::string reduce;
  std::string reduce_field = "V";
  double threshold = -30.0;
  std::uint64_t max_beats = 8;
  std::optional<std::uint64_t> origin;
  double fill = std::numeric_limits<double>::quiet_NaN();
  std::string afterwards = "none";
  std::string afterwards_cache = "128MiB";
  bool keep_afterwards = false;
  std::string sync = "commit";
  std::string commit_every = "60s";
  std::string writers = "auto";
  std::uint64_t commit_groups = WriterOptions{}.commit_groups;
  bool no_overwrite = false;
  std::uint64_t ranks = 0;
  bool plan = false;
  bool json = false;
  MachineArguments machine;  // to predict for
  AdviceArguments advice;
};

LayoutKind parse_layout(const std::string& text) {
  if (text == "reads") return LayoutKind::reads;
  if (text == "isotropic") return LayoutKind::isotropic;
  if (text == "rows") return LayoutKind::rows;
  throw Error(ErrorKind::usage, fmt::format("layout '{}'", text), "is not known", "use reads, isotropic or rows");
}

// "0.1ms"; a number alone is of milliseconds, the unit of cardiac models.
double parse_ms(const std::string& text) {
  const bool number = text.find_first_not_of("0123456789.") == std::string::npos;
  return 1e3 * parse_seconds(number ? text + "ms" : text);
}

// "A,B,.." as so many numbers.
std::vector<double> parse_numbers(const std::string& name, const std::string& text, std::size_t count,
                                  const char* example) {
  std::vector<double> numbers;
  std::istringstream in(text);
  std::string part;
  while (std::getline(in, part, ',')) {
    std::size_t used = 0;
    double number = 0;
    try {
      number = std::stod(part, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used == 0 || used != part.size() || !std::isfinite(number)) break;
    numbers.push_back(number);
  }
  if (numbers.size() == count && !in) return numbers;
  throw Error(ErrorKind::usage, fmt::format("{} '{}'", name, text), fmt::format("is not {} numbers", count),
              fmt::format("for example {} {}", name, example));
}

kernels::ecg::MeshFileOptions parse_mesh_file(const RunEcgArguments& arguments) {
  kernels::ecg::MeshFileOptions options;
  const std::map<std::string, double> units{{"mm", 1}, {"cm", 10}, {"um", 1e-3}, {"m", 1e3}};
  const auto unit = units.find(arguments.mesh_unit);
  if (unit == units.end()) {
    throw Error(ErrorKind::usage, fmt::format("--mesh-unit '{}'", arguments.mesh_unit), "is not known",
                "use mm, cm, um or m");
  }
  options.unit = unit->second;
  for (const std::string& text : arguments.stimulate) {
    const auto numbers = parse_numbers("--stimulate", text, 4, "10,0,5,1.5");
    if (numbers[3] < 0) throw Error(ErrorKind::usage, "--stimulate " + text, "has a negative radius", "give a length");
    options.stimulated.push_back({{numbers[0], numbers[1], numbers[2]}, numbers[3]});
  }
  for (const std::string& text : arguments.electrodes) options.electrodes.push_back(ecg::parse_electrode(text));
  return options;
}

kernels::ecg::SolveOptions parse_solve(const RunEcgArguments& arguments) {
  kernels::ecg::SolveOptions solve = arguments.options.solve;
  if (!arguments.mesh.empty() && arguments.mesh != "none") solve.mesh = arguments.mesh;
  solve.mesh_file = parse_mesh_file(arguments);
  solve.dt = parse_ms(arguments.dt);
  solve.duration = parse_ms(arguments.duration);
  solve.print_every = parse_ms(arguments.print_every);
  if (arguments.model != "bidomain" && arguments.model != "monodomain") {
    throw Error(ErrorKind::usage, fmt::format("--model '{}'", arguments.model), "is not known",
                "use bidomain or monodomain");
  }
  solve.monodomain = arguments.model == "monodomain";
  solve.tune = !arguments.as_measured;
  if (!arguments.velocity.empty()) {
    const auto numbers = parse_numbers("--velocity", arguments.velocity, 2, "0.67,0.24");
    solve.velocity = {numbers[0], numbers[1]};
  }
  if (!arguments.plates.empty()) {
    const auto numbers = parse_numbers("--plates", arguments.plates, 3, "0.5,10,5");
    solve.plates = kernels::ecg::PlateStimulus{numbers[0], numbers[1], numbers[2]};
  }
  return solve;
}

kernels::ecg::EcgOptions finish(const RunEcgArguments& arguments) {
  kernels::ecg::EcgOptions options = arguments.options;
  options.layout.kind = parse_layout(arguments.layout);
  options.layout.target_bytes = parse_bytes(arguments.target);
  options.layout.access.latency_s = parse_seconds(arguments.latency);
  options.layout.access.bandwidth = parse_rate(arguments.bandwidth);
  options.mpi.strategy = parse_strategy(arguments.strategy);
  options.mpi.stripe_bytes = parse_bytes(arguments.stripe_size);
  options.writer.budget_bytes = parse_bytes(arguments.budget);
  options.writer.direct = series::parse_direct(arguments.direct, "--direct");
  options.writer.sync = series::parse_sync(arguments.sync, "--sync");
  series::parse_commit_every(arguments.commit_every, options.writer, "--commit-every");
  options.writer.writers = series::parse_writers(arguments.writers, "--writers");
  options.writer.commit_groups = arguments.commit_groups;
  options.writer.work = "weft run ecg";
  options.align_bytes = parse_bytes(arguments.align);
  options.compute_seconds = 1e-3 * parse_ms(arguments.compute);
  if (!arguments.fields.empty() && arguments.fields != "joint" && arguments.fields != "separate") {
    throw Error(ErrorKind::usage, fmt::format("--fields '{}'", arguments.fields), "is not known",
                "use joint or separate");
  }
  const bool solve = options.source == "solve";
  options.joint = arguments.fields.empty() ? !solve : arguments.fields == "joint";
  options.mesh = arguments.mesh != "none";
  if (solve && options.steps) {
    throw Error(ErrorKind::usage, "--steps", "source solve has as many as its time gives",
                "use --duration and --print-every");
  }
  if (solve && options.ownership != "blocks") {
    throw Error(ErrorKind::usage, "--ownership " + options.ownership, "source solve deals its nodes itself",
                "use --scatter, or leave it out");
  }
  if (solve) {
    options.solve = parse_solve(arguments);
  } else if (!arguments.mesh.empty() && arguments.mesh != "box" && arguments.mesh != "none") {
    throw Error(ErrorKind::usage, fmt::format("--mesh '{}'", arguments.mesh), "is not known", "use box or none");
  }
  kernels::ecg::parse_dealing(options.ownership);
  options.mpi.hints =
      parse_hints({arguments.hints, arguments.cb_nodes, options.mpi.stripe_count, options.mpi.stripe_bytes});
  if (!arguments.reduce.empty()) {
    options.reduction =
        reduce::RunReductionSpec{.field = arguments.reduce_field,
                                 .quantities = reduce::parse_quantities(arguments.reduce),
                                 .settings = {arguments.threshold, arguments.max_beats, arguments.origin},
                                 .fill = arguments.fill};
  }
  if (arguments.afterwards != "none" && arguments.afterwards != "paper") {
    throw Error(ErrorKind::usage, fmt::format("--afterwards '{}'", arguments.afterwards), "is not known",
                "use none or paper");
  }
  const std::uint64_t cache_bytes = parse_bytes(arguments.afterwards_cache);
  if (arguments.afterwards == "paper") {
    options.afterwards = kernels::ecg::Afterwards{
        cache_bytes, arguments.keep_afterwards, {arguments.threshold, arguments.max_beats, arguments.origin}};
  } else if (arguments.keep_afterwards) {
    throw Error(ErrorKind::usage, "--keep-afterwards", "nothing is made afterwards", "add --afterwards paper");
  }
  if (arguments.no_overwrite) {
    if (options.append || options.restart) {
      throw Error(ErrorKind::usage, "--no-overwrite", "a run that appends needs the existing file",
                  "leave one of the two out");
    }
    options.if_exists = storage::IfExists::fail;
  }
  if (options.from_step && !options.append) {
    throw Error(ErrorKind::usage, "--from-step", "goes with --append", "add --append");
  }
  return options;
}

void run_ecg(const RunEcgArguments& arguments) {
  const auto run = [&](Communicator& comm) {
    const nlohmann::json report = kernels::ecg::run_ecg(MPI_COMM_WORLD, finish(arguments));
    if (comm.rank() == 0) fmt::print("{}", arguments.json ? json_text(report) + "\n" : kernels::ecg::to_text(report));
  };
  plan_or_run(
      {.plan = arguments.plan,
       .ranks = arguments.ranks,
       .print_plan =
           [&](std::uint64_t ranks) { print_plan(kernels::ecg::plan_ecg(finish(arguments), ranks), arguments.json); },
       .check = [&] { finish(arguments); },
       .run = run});
}

// Layouts and strategies; and on several nodes, how many ranks of each write.
void advise_ecg(const RunEcgArguments& arguments, const CLI::App& ecg) {
  const ReadCost cost = read_cost_of(arguments.machine);
  const std::string typed = typed_options(ecg, {"--strategy", "--layout", "--writers", "--latency", "--bandwidth"}) +
                            fmt::format(" --latency {} --bandwidth {}", cost.latency, cost.bandwidth);
  const AskedAdvice asked{arguments.machine, arguments.advice, "ecg", typed};
  print_advice(asked, [&](const predict::Surroundings& around) {
    std::vector<predict::Way> ways;
    const auto add = [&](const std::string& strategy, const std::string& layout, const std::string& writers) {
      RunEcgArguments said = arguments;
      said.strategy = strategy;
      said.layout = layout;
      if (!writers.empty()) said.writers = writers;
      said.latency = cost.latency;
      said.bandwidth = cost.bandwidth;
      const kernels::ecg::EcgOptions options = finish(said);
      predict::Way way{
          fmt::format("--strategy {} --layout {}{}", strategy, layout, writers.empty() ? "" : " --writers " + writers),
          with_hints_left_out(predict::work_of(options, around), options.mpi.hints)};
      std::tie(way.reads, way.reads_s) = predict::reads_of(options, around);
      ways.push_back(std::move(way));
    };
    std::vector<std::string> writers{""};
    if (around.ranks_per_node > 0 && around.ranks > around.ranks_per_node) writers = {"all", "8/node", "1/node"};
    for (const std::string& of : writers) {
      for (const char* layout : {"reads", "isotropic", "rows"}) add("owner", layout, of);
    }
    for (const char* strategy : {"cached", "per-step"}) {
      for (const char* layout : {"isotropic", "rows"}) add(strategy, layout, "");
    }
    return ways;
  });
}

}  // namespace

void add_ecg(CLI::App& parent, KernelUse use) {
  auto arguments = std::make_shared<RunEcgArguments>();
  RunEcgArguments& a = *arguments;
  CLI::App* ecg =
      parent.add_subcommand("ecg", "Two potentials at every node of a heart, step after step (benchmark of paper 1)");
  ecg->footer(
      "Example: mpirun -n 2 weft run ecg --nodes 400000 --steps 151 --strategy owner --yardstick --out heart.h5\n"
      "         weft run ecg --source replay --from results.h5 --layout reads --out again.h5");
  const auto text = [&](const char* name, auto& value, const std::string& help, const char* group) {
    return ecg->add_option(name, value, help)->capture_default_str()->group(group);
  };
  const char* what = "What is written";
  text("--source", a.options.source,
       "synthetic (a travelling wave), replay (the steps of a file) or solve (a heart in a torso)", what);
  text("--from", a.options.from, "For replay: the file to replay, FILE or FILE:DATASET", what);
  ecg->add_option("--nodes", a.options.nodes,
                  "The number of nodes [synthetic: 100000; replay: all; solve: at most 20000]")
      ->group(what);
  ecg->add_option("--steps", a.options.steps, "The number of steps [synthetic: 151; replay: all]")->group(what);
  text("--fields", a.fields, "joint: one field Data (nodes, 2); separate: V and phi_e [solve: separate; else joint]",
       what);
  text("--mesh", a.mesh,
       "For synthetic: box (tetrahedra over exactly these nodes); for solve: torso, slab:0.2 (Niederer's slab with "
       "cubes of 0.2 mm), or a .vtu or .msh file of tetrahedra; none: no mesh in the file",
       what);
  text("--ownership", a.options.ownership, "Which nodes a rank owns: blocks, uneven or scatter", what);
  text("-o,--out", a.options.out, "The output file; an existing file is replaced when the new one is complete", what);
  ecg->add_flag("--no-overwrite", a.no_overwrite, "Fail if the output file exists")->group(what);
  ecg->add_flag("--unknown-steps", a.options.unknown_steps, "Do not declare the number of steps in advance")
      ->group(what);
  ecg->add_flag("--append", a.options.append, "Append to the file, after its committed steps")->group(what);
  ecg->add_option("--from-step", a.options.from_step, "With --append: resume at this step and drop the later ones")
      ->group(what);

  const char* simulation = "The simulation (--source solve)";
  text("--dt", a.dt, "The time step of the simulation; a number is of milliseconds", simulation);
  text("--duration", a.duration, "The simulated time; a number is of milliseconds", simulation);
  text("--print-every", a.print_every, "The time between two steps in the file; a number is of milliseconds",
       simulation);
  text("--model", a.model, "The model, bidomain or monodomain", simulation);
  ecg->add_flag("--scatter", a.options.solve.scatter,
                "Partition the graph of the mesh over the ranks, instead of blocks of nodes")
      ->group(simulation);
  text("--velocity", a.velocity,
       "Choose the conductivities for these velocities, ALONG,ACROSS the fibres in m/s [0.67,0.24]", simulation);
  ecg->add_flag("--as-measured", a.as_measured, "Use the measured conductivities, even on a coarse mesh")
      ->group(simulation);
  text("--conductivity-factor", a.options.solve.conductivity_factor, "A factor for the conductivities of the heart",
       simulation);
  ecg->add_option("--stimulus", a.options.solve.stimulus,
                  "The stimulus current of a cell in pA/pF, for 2 ms [torso: -22; others: -35.7]")
      ->group(simulation);
  text("--plates", a.plates, "CURRENT,START,DURATION of a current between plates on the sides, in uA/mm^2 and ms",
       simulation);
  ecg->add_option("--checkpoint-every", a.options.checkpoint_every,
                  "Save the whole state in OUT.checkpoint after this many steps of the file")
      ->group(simulation);
  ecg->add_flag("--restart", a.options.restart, "Resume from OUT.checkpoint; start anew if there is none")
      ->group(simulation);
  text("--tolerance", a.options.solve.tolerance, "The tolerance of the linear solver", simulation);
  text("--petsc", a.options.solve.petsc, "Options for PETSc, for example \"-phi_e_pc_type gamg\"", simulation);

  const char* file =
      "A mesh from a file (--mesh FILE.vtu, with cell arrays tissue: 0 torso, 1 heart, 2 blood, 3 lung, 4 bone, and "
      "fibre, and point arrays layer: 0 epicardium, 1 midmyocardium, 2 endocardium, and stimulus: ms; or FILE.msh, "
      "with "
      "physical volumes of these numbers or names)";
  text("--mesh-unit", a.mesh_unit, "The unit of its coordinates: mm, cm, um or m", file);
  ecg->add_option("--stimulate", a.stimulate,
                  "Stimulate the nodes of the heart in the ball X,Y,Z,R (mm) at 0 ms; may be repeated")
      ->group(file);
  ecg->add_option("--electrode", a.electrodes,
                  "An electrode at the node of the skin nearest to NAME=X,Y,Z (mm); may be repeated; RL is the ground")
      ->group(file);

  const char* how = "How it is written";
  text("--strategy", a.strategy, "owner, cached or per-step", how);
  text("--layout", a.layout, "reads, isotropic or rows (41, N, ..)", how);
  text("--read", a.options.layout.reads, "The reads to plan for, as in weft layout", how);
  text("--filter", a.options.filters,
       "Compress the chunks (owner): " + storage::filter_words() + "; bitround:N+.. rounds to N bits before", how);
  text("--target", a.target, "The largest size of a chunk", how);
  text("--latency", a.latency, "The time of one request on the file system of the readers", how);
  text("--bandwidth", a.bandwidth, "The bandwidth of that file system", how);
  text("--budget", a.budget, "The memory in which each rank may gather steps (owner)", how);
  text("--direct", a.direct,
       "Bypass the page cache (owner): auto (large series on ext4 or XFS; GlusterFS), always or never", how);
  ecg->add_option("--sync", a.sync,
                  "When steps are flushed to the disk: commit (in the background, and at the end), window (before they "
                  "are committed) or none")
      ->capture_default_str()
      ->group(how);
  text("--writers", a.writers, "The ranks that write, with owner: auto, all, 4/node (on each node) or 16 (in all)",
       how);
  ecg->add_option("--commit-groups", a.commit_groups,
                  "The ranks of a node say together what is committed; past so many nodes, several nodes do")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str()
      ->group(how);
  text("--commit-every", a.commit_every, "Commit steps at least this often: 60s or 100steps", how);
  ecg->add_flag("--take-over", a.options.writer.take_over,
                "Break the lock of a writer on another machine; use it only if you know that this writer has died")
      ->group(how);

  const char* maps = "Maps of quantities over time, computed during the run (in the file, /maps)";
  text("--reduce", a.reduce, "The quantities, as in weft reduce: activation_time,peak,apd_90", maps);
  text("--reduce-field", a.reduce_field, "The field to reduce, NAME or NAME:COMPONENT", maps);
  text("--threshold", a.threshold, "The threshold of beats and of first_crossing", maps);
  text("--max-beats", a.max_beats, "The largest number of beats in a map", maps);
  ecg->add_option("--origin", a.origin, "The node from which conduction_velocity is measured")->group(maps);
  ecg->add_option("--fill", a.fill, "The value of nodes that have none [NaN]")->group(maps);

  const char* after = "Post-processing of the finished file";
  text("--afterwards", a.afterwards,
       "none, or paper: write a VTU file for each step and compute maps node after node through HDF5 alone, with times",
       after);
  text("--afterwards-cache", a.afterwards_cache, "The size of HDF5's chunk cache for this, on each rank", after);
  ecg->add_flag("--keep-afterwards", a.keep_afterwards,
                "Keep the VTU files; without it each one is removed after it is timed")
      ->group(after);

  const char* where = "For the file system";
  text("--align", a.align,
       "Begin chunks that different ranks may write at multiples of this; 0: a page where the file system wants it",
       where);
  ecg->add_option("--stripe-count", a.options.mpi.stripe_count, "Lustre: the number of stripes of the file")
      ->group(where);
  text("--stripe-size", a.stripe_size, "Lustre: the size of a stripe", where);
  ecg->add_option("--cb-nodes", a.cb_nodes, "MPI-IO: the number of aggregators of a collective write")->group(where);
  ecg->add_option("--hint", a.hints, "MPI-IO: any hint, KEY=VALUE; may be repeated")->group(where);
  text("--mpi-count-limit", a.options.mpi.count_limit, "The largest count of one MPI call", where);

  if (use != KernelUse::run) {
    add_machine_options(*ecg, a.machine);
    if (use == KernelUse::advise) add_advice_options(*ecg, a.advice);
    ecg->footer(machine_footer("ecg", use == KernelUse::advise));
    ecg->callback([arguments, ecg, use] {
      if (use == KernelUse::advise) return advise_ecg(*arguments, *ecg);
      print_prediction(arguments->machine, [&](const predict::Surroundings& around) {
        const kernels::ecg::EcgOptions options = finish(*arguments);
        return with_hints_left_out(predict::work_of(options, around), options.mpi.hints);
      });
    });
    return;
  }
  const char* measure = "Measuring";
  ecg->add_option("--compute", a.compute,
                  "Simulate computation: so long in each step, 60ms; a number is of milliseconds")
      ->group(measure);
  ecg->add_flag("--yardstick", a.options.yardstick, "Also time raw writes of the same bytes in blocks of 8 MiB")
      ->group(measure);
  ecg->add_flag("--read-back", a.options.read_back, "Read the finished file again and time it")->group(measure);
  ecg->add_flag("--plan", a.plan, "Print what would be written; needs no ranks and writes nothing")->group(measure);
  ecg->add_option("--ranks", a.ranks, "With --plan: the number of ranks")->group(measure);
  ecg->add_flag("--json", a.json, "Print the plan or the report as JSON")->group(measure);
  ecg->callback([arguments] {
    if (arguments->options.source == "solve") become_solver();
    arguments->options.progress = true;
    run_ecg(*arguments);
  });
}

}  // namespace weft::cli

#endif  // WEFT_HAVE_MPI
