#include "weft/convert/conversion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>

#include "weft/convert/job.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/storage/writer_lock.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/stopwatch.hpp"
#include "weft/survey/open_file.hpp"

namespace weft::convert {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<std::string_view, Format>, 3> kFormats{
    {{"vtu", Format::vtu}, {"tecplot", Format::tecplot}, {"csv", Format::csv}}};

void check(const Conversion& conversion) {
  if (conversion.level < 0 || conversion.level > 9) {
    throw Error(ErrorKind::usage, fmt::format("--compress {}", conversion.level), "is not a level of zlib",
                "give 1 (fast) to 9 (small)");
  }
  if (conversion.level > 0 && conversion.to != Format::vtu) {
    throw Error(ErrorKind::usage, "--compress", fmt::format("{} is not compressed", name_of(conversion.to)),
                "leave it out");
  }
}

// The folders that were made for the files: gone again where none came.
class NewFolders {
 public:
  NewFolders() = default;
  ~NewFolders() {
    std::error_code none;
    std::reverse(made_.begin(), made_.end());
    for (const fs::path& folder : made_) fs::remove(folder, none);  // if it is empty
  }
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;

  // With those above it that are not there.
  void make(const fs::path& folder) {
    std::error_code error;
    if (folder.empty() || fs::is_directory(folder, error)) return;
    make(folder.parent_path());
    if (fs::create_directory(folder, error)) made_.push_back(folder);
    if (error) throw system_error(folder.string(), "cannot make the folder", error.value());
  }

 private:
  std::vector<fs::path> made_;
};

// Where the files go: a folder, or with Tecplot the one file. Rank 0 has its lock, and makes the folder.
std::optional<storage::WriterLock> find_place(Job& job, NewFolders& folders) {
  const Conversion& conversion = job.conversion;
  fs::path source(survey::named_file(conversion.file.path).path);
  if (!source.has_filename()) source = source.parent_path();  // a folder, "flow/"
  const fs::path stem = source.parent_path() / source.stem();
  fs::path out = conversion.out;
  job.name = source.stem().string();
  if (conversion.to == Format::tecplot) {
    if (out.empty()) out = stem.string() + ".plt";
    std::error_code error;
    if (fs::is_directory(out, error) || !out.has_filename()) out /= job.name + ".plt";
    job.name = out.filename().string();
    job.folder = out.parent_path().string();
  } else {
    job.folder = out.empty() ? stem.string() + "_" + std::string(name_of(conversion.to)) : out.string();
  }
  std::optional<storage::WriterLock> lock;
  agree_on(job.comm, [&] {
    std::error_code error;
    if (conversion.to == Format::tecplot && fs::equivalent(out, source, error)) {
      throw Error(ErrorKind::usage, out.string(), "is the input file", "name another: --out heart.plt");
    }
    const bool is_file = conversion.to == Format::tecplot;
    const bool taken =
        is_file ? fs::exists(out, error) : fs::exists(job.folder, error) && !fs::is_empty(job.folder, error);
    if (job.comm.rank() == 0 && taken && conversion.if_exists == storage::IfExists::fail) {
      throw Error(ErrorKind::usage, is_file ? out.string() : job.folder,
                  is_file ? "exists already" : "has files already", "name another, or allow its files to be replaced");
    }
    if (job.comm.rank() != 0) return;
    fs::path place = is_file ? out : fs::path(job.folder).lexically_normal();
    if (!place.has_filename()) place = place.parent_path();  // "flow/"
    folders.make(place.parent_path());
    lock = storage::WriterLock::take(place.string(), {"weft convert", conversion.take_over});
    folders.make(fs::path(job.folder).lexically_normal());
  });
  return lock;
}

}  // namespace

Format parse_format(std::string_view word) {
  for (const auto& [name, format] : kFormats) {
    if (name == word) return format;
  }
  std::string known;
  for (const auto& [name, format] : kFormats) known += (known.empty() ? "" : ", ") + std::string(name);
  throw Error(ErrorKind::usage, fmt::format("--to {}", word), "is not a format", fmt::format("there are {}", known));
}

std::string_view name_of(Format format) {
  return std::find_if(kFormats.begin(), kFormats.end(), [&](const auto& known) { return known.second == format; })
      ->first;
}

std::string Job::number(std::uint64_t step) const {
  return fmt::format("{:0{}}", step, std::max<std::size_t>(4, fmt::formatted_size("{}", source.times().size() - 1)));
}

std::string Job::name_of_block(std::size_t block) const {
  if (block == 0) return name;
  std::string further = source.view().blocks[block].name;
  std::replace(further.begin(), further.end(), '/', '_');
  return name + "." + further;
}

std::uint64_t steps_that_fit(const Job& job, std::uint64_t fixed, std::uint64_t bytes_a_step, std::string_view what) {
  const std::uint64_t budget = job.conversion.budget_bytes;
  if (fixed + bytes_a_step > budget) {
    throw Error(ErrorKind::usage, job.conversion.file.path,
                fmt::format("a budget of {} does not hold {}", format_bytes(budget), what),
                fmt::format("give at least --budget {}", fixed + bytes_a_step));
  }
  if (bytes_a_step == 0) return job.conversion.steps_at_once;
  return std::min(job.conversion.steps_at_once, (budget - fixed) / bytes_a_step);
}

ConversionReport convert_file(Communicator& comm, const Conversion& conversion) {
  const Stopwatch clock;
  const std::unique_ptr<StepSource> source =
      open_series_source(comm, conversion.file, conversion.fields, conversion.to == Format::csv);
  ConversionReport report = convert_source(comm, conversion, *source);
  report.seconds = clock.seconds();
  return report;
}

ConversionReport convert_source(Communicator& comm, const Conversion& conversion, const StepSource& source) {
  const Stopwatch clock;
  agree_on(comm, [&] { check(conversion); });
  Job job{comm, conversion, source, {}, {}, {}};
  agree_on(comm, [&] { job.steps = parse_steps(conversion.steps, source.times().size()); });
  NewFolders folders;
  const std::optional<storage::WriterLock> lock = find_place(job, folders);
  Written written;
  switch (conversion.to) {
    case Format::vtu: written = convert_to_vtk(job); break;
    case Format::tecplot: written = convert_to_tecplot(job); break;
    case Format::csv: written = convert_to_csv(job); break;
  }
  ConversionReport report;
  report.out = written.open;
  report.further = written.further;
  report.files = comm.sum(written.files);
  report.bytes = comm.sum(written.bytes);
  report.steps = job.steps.size();
  report.left_out = source.view().left_out;
  report.left_out.insert(report.left_out.end(), written.left_out.begin(), written.left_out.end());
  report.seconds = clock.seconds();
  return report;
}

}  // namespace weft::convert
