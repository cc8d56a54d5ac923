#include "weft/inspect/file_inspection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/metadata_watch.hpp"
#include "weft/survey/open_file.hpp"

namespace weft::inspect {

namespace {

using storage::Handle;

// Tells whoever wants to know.
struct Steps {
  OwnProcess* told;

  void begin(const char* what, std::uint64_t datasets) const {
    if (told != nullptr) told->phase(what, "dataset", datasets);
  }
  void at(const std::string& path) const {
    if (told != nullptr) told->at(path);
  }
};

struct Looking {
  const FileQuestion& question;
  const survey::Survey& survey;
  hid_t file;

  bool asked_for(const survey::DatasetFacts& facts) const {
    return std::any_of(question.datasets.begin(), question.datasets.end(),
                       [&](const std::string& name) { return survey.find(name)->path == facts.path; });
  }
};

std::size_t axes_named(std::string_view text) {
  return 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), ','));
}

// The dataset that --axes are meant for where none is named; nullptr where they are for those that are.
const survey::DatasetFacts* meant_by_axes(const Looking& looking) {
  const FileQuestion& question = looking.question;
  if (question.axes.empty() || !question.datasets.empty()) return nullptr;
  const survey::DatasetFacts* largest = nullptr;
  for (const survey::DatasetFacts& facts : looking.survey.datasets) {
    if (facts.empty || facts.shape.size() != axes_named(question.axes)) continue;
    if (largest == nullptr || facts.logical_bytes() > largest->logical_bytes()) largest = &facts;
  }
  if (largest == nullptr) {
    throw Error(ErrorKind::usage, fmt::format("axes '{}'", question.axes),
                fmt::format("no dataset of {} has {} axes", question.path, axes_named(question.axes)),
                "give one name per axis");
  }
  return largest;
}

// What the datasets of one series must have in common to be told as one.
using Kind = std::tuple<std::string, Shape, std::string, Shape, std::string>;

Kind kind_of(const survey::DatasetFacts& facts, const survey::KnownAxes& known) {
  return {known.series, facts.shape, facts.type, facts.chunk, storage::to_text(facts.filters)};
}

void check_asked(const FileQuestion& question, const survey::Survey& survey) {
  for (const std::string& name : question.datasets) {
    if (survey.find(name) != nullptr) continue;
    std::string known;
    for (std::size_t i = 0; i < std::min<std::size_t>(5, survey.datasets.size()); ++i) {
      known += (i == 0 ? "" : ", ") + survey.datasets[i].path;
    }
    if (survey.datasets.size() > 5) known += ", ...";
    throw Error(ErrorKind::data, question.path, fmt::format("has no dataset {}", name),
                known.empty() ? "it has none" : "it has " + known);
  }
}

// Reads that do not fit a dataset are noted there, unless it was asked for, or they fit none at all.
void price_all(FileInspection& result, const Looking& looking, const survey::DatasetFacts* meant, const Steps& steps) {
  steps.begin("pricing reads", std::min(looking.question.most_priced, result.datasets.size()));
  std::optional<Error> misfit;
  std::size_t priced = 0;
  for (Inspection& one : result.datasets) {
    const bool asked = looking.asked_for(one.facts) || (meant != nullptr && meant->path == one.facts.path);
    if (!asked && priced >= looking.question.most_priced) continue;
    steps.at(one.facts.path);
    try {
      price(one, looking.question.question);
      if (!one.reads.empty()) ++priced;
    } catch (const Error& error) {
      if (asked) throw;
      one.not_priced = error.what();
      if (!misfit) misfit = error;
    }
  }
  if (misfit && priced == 0) throw *misfit;
}

void sum_up(FileInspection& result) {
  for (const survey::DatasetFacts& facts : result.survey.datasets) {
    if (facts.storage != survey::StorageKind::external) result.data_bytes += facts.stored_bytes;
    result.padding_bytes += padding_of(facts);
  }
  const std::uint64_t known = result.data_bytes + result.survey.metadata_bytes + result.survey.free_bytes;
  result.other_bytes = result.survey.file_bytes - std::min(result.survey.file_bytes, known);
}

FileInspection look_at(const FileQuestion& question, OwnProcess* told) {
  FileInspection result;
  const Steps steps{told};
  steps.begin("looking at datasets", 0);
  result.survey = survey::survey(question.path, [&](const std::string& path) { steps.at(path); });
  check_asked(question, result.survey);
  const Handle file = survey::open_file(question.path);
  const Looking looking{question, result.survey, file};
  const survey::DatasetFacts* meant = meant_by_axes(looking);

  std::map<Kind, std::size_t> series;
  steps.begin("telling axes", result.survey.datasets.size());
  for (const survey::DatasetFacts& facts : result.survey.datasets) {
    const bool asked = looking.asked_for(facts);
    if (!question.datasets.empty() && !asked) continue;
    steps.at(facts.path);
    const bool by_user = !question.axes.empty() && (asked || meant == &facts);
    std::optional<survey::KnownAxes> known =
        by_user ? std::optional(survey::told_axes(file, facts, question.axes)) : survey::known_axes(file, facts);
    if (known && !known->series.empty()) {
      const auto [found, first] = series.emplace(kind_of(facts, *known), result.datasets.size());
      if (!first) {
        ++result.datasets[found->second].alike;
        continue;
      }
    }
    result.datasets.push_back(looked_at(facts, std::move(known)));
  }
  std::stable_sort(result.datasets.begin(), result.datasets.end(), [](const Inspection& a, const Inspection& b) {
    return a.alike * a.facts.logical_bytes() > b.alike * b.facts.logical_bytes();
  });
  price_all(result, looking, meant, steps);
  sum_up(result);
  return result;
}

}  // namespace

FileInspection inspect_file(const FileQuestion& question, OwnProcess* told) {
  const storage::QuietHdf5 quiet;
  FileInspection result;
  storage::look_until_whole(question.path, [&] {
    result = look_at(question, told);
    return true;
  });
  return result;
}

}  // namespace weft::inspect
