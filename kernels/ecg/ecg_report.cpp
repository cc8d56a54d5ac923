// The kernel's report as people read it.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "kernels/ecg/ecg_kernel.hpp"
#include "kernels/io/kernel_run.hpp"
#include "kernels/io/read_back.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/shape.hpp"

namespace weft::kernels::ecg {

namespace {

void add_simulation(const nlohmann::json& solve, const TellLine& line) {
  line("model", fmt::format("{} on {}, steps of {:.6g} ms", solve.at("model").get<std::string>(),
                            solve.at("mesh").get<std::string>(), solve.at("dt_ms").get<double>()));
  const auto& chosen = solve.at("conductivities");
  if (chosen.at("tuned").get<bool>()) {
    const auto direction = [&](const char* name) {
      const auto& one = chosen.at(name);
      const double wanted = one.at("velocity_wanted_m_per_s").get<double>();
      const double velocity = one.at("velocity_of_a_cable_m_per_s").get<double>();
      return fmt::format("{} the fibres times {:.3g}, for {:.2f} m/s{}", name, one.at("factor").get<double>(), velocity,
                         velocity > 1.05 * wanted
                             ? fmt::format(" ({:.2f} was wanted; so coarse a mesh carries no wave that slow)", wanted)
                             : "");
    };
    line("tuned", "conductivities to the mesh: " + direction("along"));
    line("", direction("across"));
  }
  const auto& ksp = solve.at("ksp");
  line("iterations",
       fmt::format("{:.1f} a solve for V, {:.1f} for phi_e (at most {} and {})",
                   ksp.at("v").at("mean_iterations").get<double>(), ksp.at("phi_e").at("mean_iterations").get<double>(),
                   ksp.at("v").at("most_iterations").get<std::uint64_t>(),
                   ksp.at("phi_e").at("most_iterations").get<std::uint64_t>()));
}

std::string count(const nlohmann::json& value) { return format_count(value.get<std::uint64_t>()); }

// What was written, and how.
void add_writing(const nlohmann::json& report, const TellLine& line) {
  const auto& seconds = report.at("seconds");
  const auto& counters = report.at("counters");
  const double output = seconds.at("output").get<double>();
  const double bytes = report.at("bytes").get<double>();
  if (report.contains("solve")) add_simulation(report.at("solve"), line);
  line("file", report.at("file").get<std::string>());
  line("chunk", to_string(report.at("chunk").get<Shape>()));
  line("output", fmt::format("{} blocked in Weft ({}/s), {} of it in close()", format_seconds(output),
                             format_bytes(static_cast<std::uint64_t>(bytes / std::max(output, 1e-9))),
                             format_seconds(seconds.at("drain").get<double>())));
  if (report.contains("filtered")) {
    const auto& filtered = report.at("filtered");
    const auto before = filtered.at("bytes").get<std::uint64_t>();
    const auto stored = filtered.at("stored_bytes").get<std::uint64_t>();
    line("compressed", fmt::format("{} to {} ({:.0f} %)", format_bytes(before), format_bytes(stored),
                                   100 * static_cast<double>(stored) / static_cast<double>(before)));
  }
  add_spread(report, line);
  if (seconds.contains("raw")) {
    const double raw = seconds.at("raw").get<double>();
    line("raw", fmt::format("{} for the same bytes in 8 MiB writes: output is {:.2f} times that", format_seconds(raw),
                            output / raw));
  }
  line("run",
       fmt::format("{}, {} of it making the steps, {} computing", format_seconds(seconds.at("run").get<double>()),
                   format_seconds(seconds.at("source").get<double>()),
                   format_seconds(seconds.at("compute").get<double>())));
  line("requests",
       fmt::format("{} writes in {} windows, {} system calls, {} collective HDF5 writes",
                   count(counters.at("app").at("writes")), count(counters.at("app").at("windows")),
                   count(counters.at("syscall").at("writes")), count(counters.at("hdf5").at("collective_writes"))));
  line("moved", fmt::format("{} between ranks in {} messages",
                            format_bytes(counters.at("mpi").at("bytes_sent").get<std::uint64_t>()),
                            count(counters.at("mpi").at("messages"))));
}

}  // namespace

std::string to_text(const nlohmann::json& report) {
  const std::string file = report.at("file").get<std::string>();
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<12} {}\n", name, value);
  };
  if (report.at("steps_written") == 0) {
    text += fmt::format("ecg: nothing to write: {} has {} steps, and the run ends after {}\n", file,
                        count(report.at("steps_before")), count(report.at("steps")));
  } else {
    text +=
        fmt::format("ecg: {} steps of {} nodes ({}) on {} ranks, {}, layout {}\n", count(report.at("steps_written")),
                    count(report.at("nodes")), format_bytes(report.at("bytes")), report.at("ranks").get<int>(),
                    report.at("strategy").get<std::string>(), report.at("layout").get<std::string>());
    add_writing(report, line);
  }
  if (report.contains("reduction")) {
    const auto& maps = report.at("reduction");
    const auto& spent = maps.at("seconds");
    line("maps", fmt::format("{}: {} in passing, {} at the end; {} of {} nodes had to be read from the file",
                             maps.at("maps").get<std::string>(), format_seconds(spent.at("watching").get<double>()),
                             format_seconds(spent.at("finishing").get<double>()), count(maps.at("nodes_from_file")),
                             count(maps.at("nodes"))));
    if (maps.at("nodes_with_more_beats_than_rows").get<std::uint64_t>() > 0) {
      line("", fmt::format("{} nodes have more beats than rows (up to {}): --max-beats",
                           count(maps.at("nodes_with_more_beats_than_rows")), count(maps.at("most_beats"))));
    }
  }
  if (report.contains("maps_not_continued")) {
    for (const auto& map : report.at("maps_not_continued")) {
      line("maps", fmt::format("{} is not continued: it still covers {} steps", map.at("map").get<std::string>(),
                               count(map.at("steps"))));
    }
  }
  line("memory", fmt::format("{} at most on a rank", format_bytes(report.at("peak_rss_bytes").get<std::uint64_t>())));
  if (report.contains("read_back")) line("read back", read_back_text(report.at("read_back")));
  if (report.contains("afterwards")) tell_afterwards(report.at("afterwards"), line);
  text += fmt::format("next: weft {} {}\n", report.contains("solve") ? "ecg --plot ecg.png" : "info", file);
  return text;
}

}  // namespace weft::kernels::ecg
