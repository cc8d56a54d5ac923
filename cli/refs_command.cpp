#include "cli/refs_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/json_text.hpp"
#include "cli/opened_apart.hpp"
#include "weft/refs/file_references.hpp"
#include "weft/refs/kerchunk_json.hpp"
#include "weft/storage/chunk_codec.hpp"
#include "weft/storage/new_file.hpp"
#include "weft/support/amount.hpp"

namespace weft::cli {

namespace {

using nlohmann::json;

struct RefsOptions {
  std::string path;
  std::string out;
  std::string url;
  std::vector<std::string> datasets;
  bool json = false;
};

json remarks_json(const std::vector<refs::Remark>& remarks) {
  json list = json::array();
  for (const refs::Remark& remark : remarks) list.push_back({{"path", remark.path}, {"what", remark.what}});
  return list;
}

// What was listed, beside the list itself.
json report_of(const RefsOptions& options, const refs::References& references) {
  json arrays = json::array();
  for (const refs::ArrayReferences& array : references.arrays) {
    arrays.push_back({{"path", array.path},
                      {"shape", array.shape},
                      {"chunk", array.chunk},
                      {"dtype", array.dtype},
                      {"filters", storage::to_text(array.filters)},
                      {"chunks", array.chunks.size()}});
  }
  return {{"file", options.path},
          {"url", options.url},
          {"steps", references.steps ? json(*references.steps) : json(nullptr)},
          {"arrays", arrays},
          {"chunks", references.chunks()},
          {"left_out", remarks_json(references.left_out)},
          {"notes", remarks_json(references.notes)}};
}

// A list may take the place of an older one, and of nothing else. JSON that is an object begins with a brace.
void check_is_list(const std::string& out) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(out, none)) return;  // a pipe would be waited for; NewFile refuses it
  std::ifstream there(out);
  char first = 0;
  if (!there || !(there >> first) || first == '{') return;
  throw Error(ErrorKind::usage, out, "exists, and is no list of references", "name another file with --out");
}

// Under its name only when it is whole: whoever reads the old list goes on reading that.
void write_list(const std::string& path, const std::string& text) {
  storage::NewFile file(path, storage::IfExists::replace, std::nullopt);
  std::FILE* stream = std::fopen(file.part().c_str(), "wb");
  if (stream == nullptr) throw system_error(path, "cannot be created", errno);
  const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  const int why = errno;
  if (std::fclose(stream) != 0 || !written) throw system_error(path, "cannot be written", written ? errno : why);
  file.finish(false);
}

std::string report_text(const json& report, const std::string& out) {
  std::string text =
      fmt::format("{}: {} datasets of {} in {} chunks", out, report["arrays"].size(), report["file"].get<std::string>(),
                  format_count(report["chunks"].get<std::uint64_t>()));
  if (!report["steps"].is_null()) {
    text += fmt::format(", {} committed steps", format_count(report["steps"].get<std::uint64_t>()));
  }
  return text + fmt::format("\n\nNext: xarray.open_dataset(\"{}\", engine=\"kerchunk\")\n", out);
}

void run(RefsOptions options) {
  if (options.url.empty()) options.url = options.path;
  std::error_code none;
  if (!options.out.empty() && std::filesystem::equivalent(options.out, options.path, none)) {
    throw Error(ErrorKind::usage, options.out, "is the file that is listed", "name another one with --out");
  }
  if (!options.out.empty()) check_is_list(options.out);
  // HDF5 crashes over some damaged files, or never comes back.
  const auto look = [&](OwnProcess& self) {
    refs::ReferenceRequest request{options.path, options.datasets};
    request.looking = [&](const std::string& dataset) { self.at(dataset); };
    const refs::References references = refs::references_of(request);
    return json_text(report_of(options, references), -1) + "\n" + refs::kerchunk_text(references, options.url);
  };
  const std::string both = in_own_process(options.path, false, look, opening_limits(options.path));
  const std::size_t list = both.find('\n') + 1;
  json report = json::parse(both.substr(0, list));
  if (options.out.empty()) {
    fmt::print("{}", std::string_view(both).substr(list));
  } else {
    write_list(options.out, both.substr(list));
    report["out"] = options.out;
    fmt::print("{}", options.json ? json_text(report) + "\n" : report_text(report, options.out));
    if (options.json) return;
  }
  // Beside the list: nobody should take what is not in it for what is not in the file.
  for (const auto& [key, words] : {std::pair{"left_out", "left out: "}, {"notes", ""}}) {
    for (const json& remark : report[key]) {
      fmt::print(stderr, "weft: {}{} {}\n", words, remark["path"].get<std::string>(),
                 remark["what"].get<std::string>());
    }
  }
}

}  // namespace

void add_refs_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("refs", "List where the chunks of an HDF5 file lie, so that zarr reads them there (kerchunk)");
  const auto options = std::make_shared<RefsOptions>();
  command->add_option("file", options->path, "Any HDF5 file; of a Weft file its committed steps are listed")
      ->required();
  command->add_option("-o,--out", options->out, "The file for the list [standard output]");
  command->add_option("--url", options->url, "Where readers will find the file: s3://bucket/heart.h5 [FILE as given]");
  command->add_option("--dataset", options->datasets, "A dataset to list; may be repeated [all that hold numbers]")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json,
                    "Print JSON: the list is JSON already; with --out, what is in it and what was left out");
  command->footer("Example:\n  weft refs heart.h5 --url s3://bucket/heart.h5 -o heart.json");
  command->callback([options] { run(*options); });
}

}  // namespace weft::cli
