#include "predict/simulation.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "weft/support/error.hpp"
#include "weft/support/program_output.hpp"
#include "weft/support/shell_word.hpp"

namespace weft::predict {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

enum Resource : int { kStore = 0, kMetadata = 1, kDisk = 2, kResources = 3, kOwn = -1, kLinkOfNode = -2 };

json use(int resource, double amount, double bound) { return json::array({resource, amount, bound}); }

// `times` requests one behind the other: the store gives each its share, and none is quicker than it is alone.
json uses_of(const Cost& cost, double times, int resource) {
  if (cost.share_s <= 0) return json::array({use(kOwn, cost.alone_s * times, 1)});
  return json::array(
      {use(resource, cost.share_s * times, std::min(1.0, cost.share_s / std::max(cost.alone_s, 1e-12)))});
}

json step_of(const Step& step, const Machine& machine, std::uint64_t ranks) {
  json text = {{"phase", step.phase}};
  if (step.by != By::rank) text["by"] = static_cast<int>(step.by);
  switch (step.act) {
    case Act::spend: text["uses"] = json::array({use(kOwn, step.seconds, 1)}); break;
    case Act::call: text["uses"] = uses_of(machine.call(step.call, ranks), step.times, kMetadata); break;
    case Act::read:
    case Act::write: {
      if (step.in_memory) {
        text["uses"] = json::array({use(kOwn, machine.memory_read_s(step.bytes) * step.times, 1)});
        break;
      }
      const auto access = step.act == Act::read ? stores::Access::read : stores::Access::write;
      Cost cost = machine.request(access, step.sharing, step.bytes);
      if (step.made_bytes > 0) {
        const Cost made = machine.request(access, step.sharing, step.made_bytes);
        cost = {std::max(0.0, cost.alone_s - made.alone_s), std::max(0.0, cost.share_s - made.share_s)};
      }
      text["uses"] = uses_of(cost, step.times, kStore);
      if (machine.cluster().ranks_per_node > 0) {
        const auto bytes = static_cast<std::uint64_t>(static_cast<double>(step.bytes) * step.times);
        text["uses"].push_back(use(kLinkOfNode, machine.link_s(bytes), 1));
      }
      break;
    }
    case Act::sync: text["uses"] = uses_of(machine.sync(step.bytes, step.in_records), 1, kDisk); break;
    case Act::travel: text["uses"] = json::array({use(kLinkOfNode, machine.link_s(step.bytes), 1)}); break;
    case Act::meet: text["meet"] = machine.meet_s(ranks); break;
    case Act::wait: text["wait"] = step.times; break;
  }
  return text;
}

fs::path simulator() {
  std::error_code none;
  const fs::path folder = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (const char* place : {"../lib/weft", "../" WEFT_LIBRARY_FOLDER "/weft"}) {
    const fs::path file = folder / place / "weft-simulate";
    if (fs::exists(file, none)) return fs::canonical(file, none);
  }
  throw Error(ErrorKind::usage, "weft predict", "this weft was built without SimGrid, which simulates the store",
              "install libsimgrid-dev and build again");
}

}  // namespace

SimulatedTimes simulate(const Workload& work, const Machine& machine) {
  const fs::path program = simulator();
  json told = {{"resources", int(kResources)}, {"ranks_per_node", machine.cluster().ranks_per_node}};
  for (const RankGroup& group : work.groups) {
    json steps = json::array();
    for (const Step& step : group.steps) steps.push_back(step_of(step, machine, work.ranks));
    told["groups"].push_back({{"ranks", group.ranks}, {"steps", std::move(steps)}});
  }
  for (const auto& [group, ranks] : work.order) told["order"].push_back({group, ranks});
  const std::string text = told.dump();
  const int memory = ::memfd_create("weft-simulate", 0);
  if (memory < 0) throw system_error("weft-simulate", "cannot be told what to simulate", errno);
  const std::unique_ptr<const int, void (*)(const int*)> closing(&memory, [](const int* it) { ::close(*it); });
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t some = ::write(memory, text.data() + done, text.size() - done);
    if (some < 0) throw system_error("weft-simulate", "cannot be told what to simulate", errno);
    done += static_cast<std::size_t>(some);
  }
  const std::string command = fmt::format("exec {} /proc/self/fd/{} 2>&1", quoted(program.string()), memory);
  const ProgramOutput output = output_of(command);
  if (!output.ended_well) {
    throw Error(ErrorKind::system, program.string(), "failed: " + output.text.substr(0, output.text.find('\n')),
                "see that SimGrid's library is installed");
  }
  const json times = json::parse(output.text);
  return {times.at("seconds").get<double>(), times.at("phases").get<std::map<std::string, double>>()};
}

}  // namespace weft::predict
