// weft predict series, weft advise series: a series that Weft writes, by its shape alone. It is no kernel: there is
// nothing to run.
#ifdef WEFT_HAVE_MPI

#include <fmt/format.h>

#include <memory>
#include <tuple>

#include "cli/advice_output.hpp"
#include "cli/kernel_options.hpp"
#include "predict/series_work.hpp"
#include "weft/layout/axes.hpp"
#include "weft/series/spec_words.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/shape.hpp"

namespace weft::cli {

namespace {

struct SeriesArguments {
  std::string shape;
  std::string axes;
  std::string type = "float64";
  std::uint64_t fields = 1;
  std::string layout = "reads";
  std::string reads = LayoutSpec{}.reads;
  std::string target = "1MiB";
  std::string budget = "256MiB";
  std::string align = "0";
  std::string writers = "auto";
  std::string sync = "commit";
  MachineArguments machine;
};

predict::SeriesShape series_from(const SeriesArguments& said, const predict::Surroundings& around) {
  const Shape whole = parse_shape(said.shape);
  const layout::Axes axes =
      said.axes.empty() ? layout::default_axes(whole.size()) : layout::parse_axes(said.axes, whole.size());
  const std::vector<std::size_t> places = layout::spatial_axes(axes);
  if (whole.size() < 2 || layout::step_axis(axes) != 0 || places.empty() || places.back() != places.size()) {
    throw Error(ErrorKind::usage, "--shape " + said.shape, "steps come first in a series, then nodes, then components",
                "for example --shape 151x400x300x200x3 --axes step,z,y,x,component");
  }
  if (said.fields == 0 || said.fields > 10'000) {
    throw Error(ErrorKind::usage, fmt::format("--fields {}", said.fields), "is no number of fields",
                "give 1 to 10,000");
  }
  predict::SeriesShape series = predict::shape_on(around);
  FieldSpec field{.name = "field", .type = series::parse_data_type(said.type, "--type")};
  field.per_step.assign(whole.begin() + 1, whole.end());
  field.layout.kind = series::parse_layout(said.layout, "--layout");
  field.layout.reads = said.reads;
  field.layout.target_bytes = parse_bytes(said.target);
  const ReadCost cost = read_cost_of(said.machine);
  field.layout.access = {.latency_s = parse_seconds(cost.latency), .bandwidth = parse_rate(cost.bandwidth)};
  series.fields.assign(said.fields, field);
  series.place_axes = places.size();
  series.steps = whole[0];
  series.writers = series::parse_writers(said.writers, "--writers");
  series.budget_bytes = parse_bytes(said.budget);
  series.align_bytes = parse_bytes(said.align);
  const Sync sync = series::parse_sync(said.sync, "--sync");
  series.syncs = sync != Sync::none;
  series.syncs_windows = sync == Sync::window;
  return series;
}

predict::Workload work_from(const predict::SeriesShape& series, const predict::Surroundings& around) {
  predict::Workload work{.kernel = "series", .strategy = "owner", .ranks = series.ranks};
  for (const FieldSpec& field : series.fields) {
    work.bytes += element_count(field.per_step) * series.steps * size_of(field.type);
  }
  work.leaves_out.emplace_back("a mesh");
  work.leaves_out.emplace_back("what the program does between its steps, and commits by the clock meanwhile");
  predict::write_series(series, around.rates, 1, work);
  return work;
}

void advise_series(const SeriesArguments& arguments, const AdviceArguments& advice) {
  AskedAdvice asked{arguments.machine, advice, "series", ""};
  asked.next = [cost = read_cost_of(arguments.machine)](const std::string& options) {
    return fmt::format("{} latency={} bandwidth={} as options of the series and its fields", options, cost.latency,
                       cost.bandwidth);
  };
  print_advice(asked, [&](const predict::Surroundings& around) {
    std::vector<predict::Way> ways;
    std::vector<std::string> writers{""};
    if (around.ranks_per_node > 0 && around.ranks > around.ranks_per_node) writers = {"all", "8/node", "1/node"};
    for (const std::string& of : writers) {
      for (const char* layout : {"reads", "isotropic", "rows"}) {
        SeriesArguments said = arguments;
        said.layout = layout;
        if (!of.empty()) said.writers = of;
        const predict::SeriesShape series = series_from(said, around);
        predict::Way way{fmt::format("layout={}{}", layout, of.empty() ? "" : " writers=" + of),
                         work_from(series, around)};
        std::tie(way.reads, way.reads_s) = predict::reads_of(series);
        ways.push_back(std::move(way));
      }
    }
    return ways;
  });
}

}  // namespace

void add_bare_series(CLI::App& parent, KernelUse use) {
  auto arguments = std::make_shared<SeriesArguments>();
  auto advice = std::make_shared<AdviceArguments>();
  SeriesArguments& a = *arguments;
  CLI::App* series = parent.add_subcommand("series", "A series that Weft writes, by its shape alone");
  const auto text = [&](const std::string& name, std::string& value, const std::string& about) {
    return series->add_option(name, value, about)->capture_default_str();
  };
  text("--shape", a.shape, "Its extents, steps first: 151x3253316x2")->required();
  text("--axes", a.axes, "What they are: step,node,component, or step,z,y,x");
  text("--type", a.type, "The type of its values: float64, float32, ...");
  series->add_option("--fields", a.fields, "How many fields of this shape it has")->capture_default_str();
  if (use == KernelUse::predict) text("--layout", a.layout, "reads, isotropic or rows");
  text("--read", a.reads, "The reads to plan for, as in weft layout");
  text("--target", a.target, "The largest size of a chunk");
  text("--budget", a.budget, "The memory in which each rank may gather steps");
  text("--align", a.align, "Begin chunks that different ranks may write at multiples of this");
  if (use == KernelUse::predict) text("--writers", a.writers, "The ranks that write: auto, all, 4/node or 16");
  text("--sync", a.sync, "commit, window or none");
  add_machine_options(*series, a.machine);
  const char* of = use == KernelUse::advise ? "advise" : "predict";
  series->footer(fmt::format(
      "Example: weft {} series --shape 151x3253316x2 --read snapshot=1,trace=1000 --store scratch.json --ranks 192",
      of));
  series->callback([arguments, advice, use] {
    if (use == KernelUse::advise) return advise_series(*arguments, *advice);
    print_prediction(arguments->machine, [&](const predict::Surroundings& around) {
      return work_from(series_from(*arguments, around), around);
    });
  });
}

}  // namespace weft::cli

#endif  // WEFT_HAVE_MPI
