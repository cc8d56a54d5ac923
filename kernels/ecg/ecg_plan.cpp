// What a run will write, said before anything is written: the chunks that are chosen, and each rank's puts.
#include "kernels/ecg/ecg_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/ecg/source_writer.hpp"
#include "kernels/ecg/step_source.hpp"
#include "weft/series/field_layout.hpp"
#include "weft/series/file_plan.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::ecg {

PlannedSteps planned_steps(const EcgOptions& options) {
  if (options.append || options.restart) {
    throw Error(ErrorKind::usage, "--plan", "a run that appends cannot be planned: what it writes depends on its file",
                "plan it without --append and --restart");
  }
  if (options.source == "synthetic") {
    const std::uint64_t nodes = options.nodes.value_or(kSyntheticNodes);
    const std::uint64_t steps = options.steps.value_or(kSyntheticSteps);
    if (nodes == 0) throw Error(ErrorKind::usage, "--nodes 0", "a heart without nodes", "give at least 1");
    if (steps == 0) throw Error(ErrorKind::usage, "--steps 0", "a run without steps", "give at least 1");
    return {synthetic_fields(nodes, options.joint), nodes, steps};
  }
  if (options.source == "replay" && !options.from.empty()) {
    SelfCommunicator self;
    const auto source = replay_source(self, options.from, options.nodes, options.steps, false, Dealing::blocks);
    return {source->fields(), source->nodes(), source->steps()};
  }
  throw Error(ErrorKind::usage, "--source " + options.source,
              "cannot be planned: its nodes are known when the mesh is made",
              "plan --source synthetic with as many --nodes, or --source replay --from FILE");
}

KernelPlan plan_ecg(const EcgOptions& options, std::uint64_t ranks) {
  if (ranks == 0 || ranks > 0x7fffffff) {
    throw Error(ErrorKind::usage, fmt::format("--ranks {}", ranks), "is not a number of ranks", "give 1 or more");
  }
  const PlannedSteps shapes = planned_steps(options);
  const std::vector<std::uint64_t> counts = dealt_counts(parse_dealing(options.ownership), shapes.nodes, ranks);
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());

  KernelPlan plan;
  plan.kernel = "ecg";
  plan.strategy = name_of(options.mpi.strategy);
  plan.ranks = ranks;
  plan.files = 1;
  plan.app.opens = plan.app.closes = ranks;
  plan.about = {
      fmt::format("{} steps of {} nodes, {}", format_count(shapes.steps), format_count(shapes.nodes), options.source)};
  nlohmann::ordered_json fields = nlohmann::ordered_json::array();
  std::uint64_t node_bytes = 0;
  const std::uint64_t alignment = series::alignment_at(options.out, options.align_bytes);
  for (const SourceField& field : shapes.fields) {
    const std::uint64_t row_bytes = element_count(field.per_step) / shapes.nodes * size_of(field.type);
    node_bytes += row_bytes;
    for (const std::uint64_t nodes : counts) {
      if (nodes > 0) plan.app.write(nodes * row_bytes, shapes.steps);
    }
    const FieldSpec spec = field_spec(field, options);
    const std::uint64_t align = series::alignment_for(spec, options.align_bytes, alignment);
    const series::FieldLayout layout = series::choose_layout(spec, 1, shapes.steps, static_cast<int>(ranks), align);
    const auto design = nlohmann::ordered_json::parse(layout.rationale);
    fields.push_back({{"name", field.name}, {"chunk", layout.chunk}, {"layout", design}});
    plan.about.push_back(fmt::format("{}: chunks of {}, {} of them, {} each", field.name, to_string(layout.chunk),
                                     format_count(design.at("chunks").get<std::uint64_t>()),
                                     format_bytes(element_count(layout.chunk) * size_of(field.type))));
    for (const auto& [read, cost] : design.at("reads").items()) {
      plan.about.push_back(fmt::format("{}: a {} will take {} requests, {}", field.name, read,
                                       format_count(cost.at("requests").get<std::uint64_t>()),
                                       format_seconds(cost.at("seconds").get<double>())));
    }
  }
  plan.file_bytes = shapes.steps * shapes.nodes * node_bytes;
  plan.min_bytes = shapes.steps * *least * node_bytes;
  plan.max_bytes = shapes.steps * *most * node_bytes;
  plan.facts = {{"source", options.source},
                {"nodes", shapes.nodes},
                {"steps", shapes.steps},
                {"ownership", options.ownership},
                {"fields", std::move(fields)}};
  return plan;
}

}  // namespace weft::kernels::ecg
