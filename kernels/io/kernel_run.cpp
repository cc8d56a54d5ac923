#include "kernels/io/kernel_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "kernels/io/output_folder.hpp"
#include "kernels/yardstick.hpp"
#include "weft/support/error.hpp"
#include "weft/support/progress.hpp"
#include "weft/support/quantity.hpp"

namespace weft::kernels {

namespace {

// The sum of every rank's calls, on every rank.
Calls summed(Communicator& comm, const Calls& mine) {
  const std::vector<std::uint8_t> packed =
      nlohmann::json::to_cbor(nlohmann::json{mine.opens, mine.closes, mine.seeks, nlohmann::json(mine.write_sizes)});
  const auto bytes = std::as_bytes(std::span(packed));
  const std::vector<std::vector<std::byte>> outgoing(static_cast<std::size_t>(comm.size()),
                                                     std::vector<std::byte>(bytes.begin(), bytes.end()));
  Calls sum;
  for (const std::vector<std::byte>& message : comm.all_to_all(outgoing)) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(message.data());
    const nlohmann::json calls = nlohmann::json::from_cbor(first, first + message.size());
    sum += Calls{calls[0].get<std::uint64_t>(), calls[1].get<std::uint64_t>(), calls[2].get<std::uint64_t>(),
                 calls[3].get<std::map<std::uint64_t, std::uint64_t>>()};
  }
  return sum;
}

// Seconds as nanoseconds: groups of ranks add integers.
double summed(Communicator& comm, double seconds) {
  return static_cast<double>(comm.sum(static_cast<std::uint64_t>(seconds * 1e9))) * 1e-9;
}

bool is_as_planned(const KernelPlan& plan, const Calls& app, const Calls& mpi, std::uint64_t least,
                   std::uint64_t most) {
  if (app.opens != plan.app.opens || app.closes != plan.app.closes || app.seeks != plan.app.seeks) return false;
  return !plan.sizes_known || (app == plan.app && mpi == plan.mpi && least == plan.min_bytes && most == plan.max_bytes);
}

}  // namespace

Done& Done::operator+=(const Done& other) {
  app += other.app;
  mpi += other.mpi;
  system += other.system;
  times += other.times;
  bytes += other.bytes;
  aside += other.aside;
  return *this;
}

void set_aside(Communicator& comm, Done& done, const std::function<void()>& action) {
  timed(done.aside, [&] { agree_on(comm, action); });
}

nlohmann::ordered_json run_kernel(MpiCommunicator& comm, const RunOptions& options, const KernelPlan& plan,
                                  const KernelBody& body) {
  make_output_folder(comm, options.out);
  const std::string yardstick = options.out + "/yardstick";
  // Which goes first is drawn by lot, so that neither always meets the fuller cache.
  const std::uint64_t first = comm.max(comm.rank() == 0 ? std::random_device{}() % 2 : 0);
  std::optional<double> raw;
  const auto measure_raw = [&] { raw = raw_write_seconds(comm, yardstick, plan.file_bytes, false); };
  if (options.yardstick && first == 1) measure_raw();

  agree_on(comm, body.prepare);
  settle(comm, yardstick);
  Done done;
  double output = 0;
  Progress progress(plan.kernel, "phase", options.phases, options.progress && comm.rank() == 0);
  for (std::uint64_t phase = 0; phase < options.phases; ++phase) {
    comm.max(0);  // all begin together
    const double aside_before = done.aside;
    const Stopwatch clock;
    agree_on(comm, [&] { body.output(phase, done); });
    output += slowest(comm, clock.seconds() - (done.aside - aside_before));
    progress.update(phase + 1);
  }
  if (options.yardstick && first == 0) measure_raw();

  const Calls app = summed(comm, done.app);
  const Calls mpi = summed(comm, done.mpi);
  nlohmann::ordered_json seconds = {{"output", output},
                                    {"build", summed(comm, done.times.build)},
                                    {"open", summed(comm, done.times.open)},
                                    {"write", summed(comm, done.times.write)},
                                    {"close", summed(comm, done.times.close)},
                                    {"compress", summed(comm, done.times.compress)}};
  if (raw) seconds["raw"] = *raw;
  const std::uint64_t least = comm.min(done.bytes);
  const std::uint64_t most = comm.max(done.bytes);
  nlohmann::ordered_json report = {
      {"kernel", plan.kernel},
      {"strategy", plan.strategy},
      {"ranks", comm.size()},
      {"out", options.out},
      {"phases", options.phases},
      {"files", plan.files},
      {"file_bytes", plan.file_bytes},
      {"bytes", app.bytes()},
      {"seconds", std::move(seconds)},
      {"counters", {{"app", to_json(app)}, {"mpi", to_json(mpi)}, {"syscall", to_json(summed(comm, done.system))}}},
      {"per_rank", {{"min_bytes", least}, {"max_bytes", most}}},
      {"as_planned", is_as_planned(plan, app, mpi, least, most)},
      {"plan", to_json(plan)}};
  if (body.afterwards) report.update(body.afterwards());
  return report;
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
  line("in", report.at("out").get<std::string>());
  return text;
}

}  // namespace weft::kernels
