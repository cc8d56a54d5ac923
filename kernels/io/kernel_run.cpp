#include "kernels/io/kernel_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/io/output_folder.hpp"
#include "kernels/io/read_back.hpp"
#include "kernels/io/yardstick.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/error.hpp"
#include "weft/support/progress.hpp"

namespace weft::kernels {

namespace {

bool is_as_planned(const KernelPlan& plan, const Calls& app, const Calls& mpi, std::uint64_t least,
                   std::uint64_t most) {
  if (app.opens != plan.app.opens || app.closes != plan.app.closes || app.seeks != plan.app.seeks) return false;
  return !plan.sizes_known || (app == plan.app && mpi == plan.mpi && least == plan.min_bytes && most == plan.max_bytes);
}

}  // namespace

void set_aside(Communicator& comm, Done& done, const std::function<void()>& action) {
  timed(done.aside, [&] { agree_on(comm, action); });
}

nlohmann::ordered_json run_kernel(MpiCommunicator& comm, const RunOptions& options, const KernelPlan& plan,
                                  const KernelBody& body) {
  make_output_folder(comm, options.out);
  Yardstick yardstick(comm, options.out + "/yardstick", options.yardstick);
  yardstick.before(plan.file_bytes, false);

  agree_on(comm, body.prepare);
  settle(comm, options.out + "/");
  Done done;
  Progress progress(plan.kernel, "phase", options.phases, options.progress && comm.rank() == 0);
  double output = 0;
  for (std::uint64_t phase = 0; phase < options.phases; ++phase) {
    comm.max(0);  // all begin together
    const double aside_before = done.aside;
    const Stopwatch clock;
    double mine = 0;
    agree_on(comm, [&] {
      body.output(phase, done);
      mine = clock.seconds() - (done.aside - aside_before);
    });
    done.output += mine;
    output += slowest(comm, clock.seconds() - (done.aside - aside_before));
    progress.update(phase + 1);
  }
  yardstick.after(plan.file_bytes, false);

  nlohmann::ordered_json report = report_of(comm, done, [&](const std::vector<Done>& ranks) {
    Done all;
    for (const Done& rank : ranks) all += rank;
    const auto [least, most] = std::minmax_element(
        ranks.begin(), ranks.end(), [](const Done& one, const Done& other) { return one.bytes < other.bytes; });
    nlohmann::ordered_json seconds = {{"output", output},         {"build", all.times.build},
                                      {"open", all.times.open},   {"write", all.times.write},
                                      {"close", all.times.close}, {"compress", all.times.compress}};
    if (yardstick.seconds()) seconds["raw"] = *yardstick.seconds();
    return nlohmann::ordered_json{
        {"kernel", plan.kernel},
        {"strategy", plan.strategy},
        {"ranks", comm.size()},
        {"out", options.out},
        {"phases", options.phases},
        {"files", plan.files},
        {"file_bytes", plan.file_bytes},
        {"bytes", all.app.bytes()},
        {"seconds", std::move(seconds)},
        {"seconds_per_rank", seconds_per_rank(ranks)},
        {"latency", to_json(all.times.calls)},
        {"counters", {{"app", to_json(all.app)}, {"mpi", to_json(all.mpi)}, {"syscall", to_json(all.system)}}},
        {"per_rank", {{"min_bytes", least->bytes}, {"max_bytes", most->bytes}}},
        {"as_planned", is_as_planned(plan, all.app, all.mpi, least->bytes, most->bytes)},
        {"plan", to_json(plan)}};
  });
  if (options.read_back) report["read_back"] = read_back(comm, options.out);
  if (body.afterwards) report.update(body.afterwards());
  return report;
}

void add_spread(const nlohmann::json& report, const TellLine& line) {
  if (report.at("ranks").get<int>() > 1 && report.at("seconds_per_rank").contains("output")) {
    const auto& output = report.at("seconds_per_rank").at("output");
    line("ranks", fmt::format("{} to {}, the median {}", format_seconds(output.at("min").get<double>()),
                              format_seconds(output.at("max").get<double>()),
                              format_seconds(output.at("median").get<double>())));
  }
  for (const char* const call : {"open", "write", "end_step", "close"}) {
    if (!report.at("latency").contains(call)) continue;
    const auto& latency = report.at("latency").at(call);
    const auto calls = latency.at("calls").get<std::uint64_t>();
    const auto seconds = [&](const char* key) { return format_seconds(latency.at(key).get<double>()); };
    constexpr std::uint64_t kEnoughForPercents = 100;
    line(call, fmt::format("{} calls: half within {}, {}the longest {}", format_count(calls), seconds("p50_seconds"),
                           calls < kEnoughForPercents ? "" : "99 % within " + seconds("p99_seconds") + ", ",
                           seconds("max_seconds")));
  }
}

std::string report_text(const nlohmann::ordered_json& report) {
  const auto& seconds = report.at("seconds");
  const auto& counters = report.at("counters");
  const double output = seconds.at("output").get<double>();
  const auto bytes = report.at("bytes").get<std::uint64_t>();
  const auto number = [](const nlohmann::ordered_json& value) { return format_count(value.get<std::uint64_t>()); };
  std::string text =
      fmt::format("{} {} on {} ranks: {} in {} files\n", report.at("kernel").get<std::string>(),
                  report.at("strategy").get<std::string>(), number(report.at("ranks")),
                  format_bytes(report.at("file_bytes").get<std::uint64_t>()), number(report.at("files")));
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<9} {}\n", name, value);
  };
  line("output",
       fmt::format("{} ({}/s), the slowest rank's", format_seconds(output),
                   format_bytes(static_cast<std::uint64_t>(static_cast<double>(bytes) / std::max(output, 1e-9)))));
  std::string parts;
  for (const char* const name : {"build", "open", "write", "close", "compress"}) {
    const double part = seconds.at(name).get<double>();
    if (part > 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", name, format_seconds(part));
  }
  line("", fmt::format("{}; summed over ranks and threads", parts));
  add_spread(report, line);
  if (seconds.contains("raw")) {
    const double raw = seconds.at("raw").get<double>();
    line("raw", fmt::format("{} for the same bytes in 8 MiB writes: output is {:.2f} times that", format_seconds(raw),
                            output / raw));
  }
  const auto calls = [&](const char* level) {
    const auto& of = counters.at(level);
    return fmt::format("{} opens, {} writes, {} seeks, {} closes", number(of.at("opens")), number(of.at("writes")),
                       number(of.at("seeks")), number(of.at("closes")));
  };
  line("calls", calls("app") + (report.at("as_planned").get<bool>() ? ", as planned" : ", NOT as planned"));
  if (counters.at("syscall").at("opens").get<std::uint64_t>() > 0) line("system", calls("syscall"));
  if (report.contains("about")) {
    for (const auto& about : report.at("about")) line("", about.get<std::string>());
  }
  if (report.contains("read_back")) line("read back", read_back_text(report.at("read_back")));
  line("in", report.at("out").get<std::string>());
  return text;
}

}  // namespace weft::kernels
