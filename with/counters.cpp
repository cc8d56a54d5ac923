#include "with/counters.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <nlohmann/json.hpp>

#include "with/settings.hpp"

namespace weft::with {

namespace {

using nlohmann::json;

std::mutex& mutex() {
  static std::mutex one;
  return one;
}

// Never destroyed: other threads, and what HDF5 does when the process ends, may come after everything.
auto& datasets() {
  static auto* all = new std::map<std::pair<std::string, std::string>, std::shared_ptr<DatasetCounters>>;
  return *all;
}
auto& files() {
  static auto* all = new std::map<std::string, std::shared_ptr<FileCounters>>;
  return *all;
}

std::atomic<unsigned> hdf5_version{0};

json to_json(const Requests& requests) {
  return {{"reads", requests.reads},
          {"read_bytes", requests.read_bytes},
          {"writes", requests.writes},
          {"write_bytes", requests.write_bytes},
          {"chunk_loads", requests.chunk_loads}};
}

json to_json(const std::map<Access, Kind>& kinds) {
  json list = json::object();
  for (const auto& [access, kind] : kinds) {
    list[name_of(access)] = {{"calls", kind.calls},   {"bytes", kind.bytes},     {"collective", kind.collective},
                             {"chunks", kind.chunks}, {"seconds", kind.seconds}, {"requests", to_json(kind.requests)}};
  }
  return list;
}

json report() {
  json list = json::array();
  for (const auto& [key, counters] : datasets()) {
    if (key.second.empty() && counters->reads.empty() && counters->writes.empty()) continue;
    list.push_back({{"file", key.first},
                    {"path", key.second},
                    {"shape", counters->shape},
                    {"chunk", counters->chunk},
                    {"wanted_chunk", counters->wanted_chunk},
                    {"element_bytes", counters->element_bytes},
                    {"filters", counters->filters},
                    {"cache_bytes", counters->cache_bytes},
                    {"created", counters->created},
                    {"reads", to_json(counters->reads)},
                    {"writes", to_json(counters->writes)},
                    {"gathered_steps", counters->gathered_steps},
                    {"gathered_writes", counters->gathered_writes}});
  }
  json opened = json::array();
  for (const auto& [name, counters] : files()) {
    opened.push_back({{"file", name},
                      {"opens", counters->opens},
                      {"flushes", counters->flushes},
                      {"open_seconds", counters->open_seconds},
                      {"flush_seconds", counters->flush_seconds},
                      {"close_seconds", counters->close_seconds},
                      {"requests", to_json(counters->requests)}});
  }
  const unsigned version = hdf5_version;
  return {{"pid", getpid()},
          {"program", program_invocation_short_name},
          {"hdf5", version == 0 ? json(nullptr)
                                : json(std::to_string(version / 1000000) + "." + std::to_string(version / 1000 % 1000) +
                                       "." + std::to_string(version % 1000))},
          {"datasets", list},
          {"files", opened}};
}

}  // namespace

std::shared_ptr<DatasetCounters> counters_of(const std::string& file, const std::string& path) {
  const std::lock_guard lock(mutex());
  auto& counters = datasets()[{file, path}];
  if (!counters) counters = std::make_shared<DatasetCounters>();
  return counters;
}

std::shared_ptr<FileCounters> counters_of(const std::string& file) {
  const std::lock_guard lock(mutex());
  auto& counters = files()[file];
  if (!counters) counters = std::make_shared<FileCounters>();
  return counters;
}

Requests*& counted_here() {
  static thread_local Requests* here = nullptr;
  return here;
}

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void note_hdf5(Library& library) {
  if (hdf5_version == 0) hdf5_version = library.version();
}

void leave_report() {
  const std::string& folder = settings().report;
  if (folder.empty() || hdf5_version == 0) return;
  const std::lock_guard lock(mutex());
  // A process that became another program by exec has left none; a child of fork has a number of its own.
  const std::string path = folder + "/" + std::to_string(getpid()) + ".json";
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return;
  const std::string text = report().dump(-1, ' ', false, json::error_handler_t::replace);
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
}

}  // namespace weft::with
