#include "weft/reading/foreign_series.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "weft/reading/grid_places.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/support/error.hpp"
#include "weft/survey/open_file.hpp"
#include "weft/survey/survey.hpp"

namespace weft::reading {

namespace {

using layout::AxisRole;
using storage::Handle;
using survey::DatasetFacts;
using survey::Form;
using survey::KnownAxes;

// A field that was found: one dataset, or one a step.
struct Found {
  DatasetFacts facts;  // of the first dataset
  KnownAxes known;
  ValueCoding coding;
  std::vector<std::string> datasets;  // in order of the steps
  std::vector<std::string> steps{};   // one_a_step: what stands for %T in each
  std::string name;

  std::uint64_t length() const {
    return known.form == Form::one_a_step ? datasets.size() : known.shape[layout::step_axis(known.axes)];
  }
  std::uint64_t bytes() const { return facts.logical_bytes() * datasets.size(); }
  // Fields of one key are of one series.
  std::string key() const {
    std::string text = fmt::format("{} {}", length(), known.time);
    for (const std::string& step : steps) text += " " + step;
    return text;
  }
};

Handle opened(hid_t file, const std::string& dataset) {
  return Handle(
      storage::check_hdf5(H5Dopen2(file, dataset.c_str(), H5P_DEFAULT), dataset, "cannot be opened", ErrorKind::data));
}

// What stands for %T in one of the paths of a series.
std::string step_in(const std::string& path, const std::string& series) {
  const std::size_t before = series.find("%T");
  const std::size_t behind = series.size() - before - 2;
  return path.substr(before, path.size() - before - behind);
}

// Numbers by their value, words by their letters.
bool comes_before(const std::string& a, const std::string& b) {
  double left = 0;
  double right = 0;
  const auto number = [](const std::string& text, double& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  };
  const bool both = number(a, left) && number(b, right);
  return both ? left < right : a < b;
}

class Search {
 public:
  Search(hid_t file, const SeriesChoice& choice) : file_(file), choice_(choice) {}

  void add(const DatasetFacts& facts) {
    if (facts.empty || facts.scalar) return;
    if (!facts.numbers) return leave_out(facts, survey::known_axes(file_, facts));
    std::optional<KnownAxes> known =
        choice_.axes.empty() ? survey::known_axes(file_, facts) : survey::told_axes(file_, facts, choice_.axes);
    if (!known && !choice_.dataset.empty()) known = steps_first(facts);  // whoever names it knows that it holds steps
    if (!known) return;
    if (!known->time.empty()) times_.insert(known->time);
    if (known->form == Form::one_a_step) {
      const auto [place, is_new] = by_series_.try_emplace(known->series, found_.size());
      if (!is_new) return add_step(found_[place->second], facts, *known);
    }
    const std::optional<ValueCoding> coding = coding_of(opened(file_, facts.path));
    if (!coding) return leave_out(facts, known);
    Found one{facts, *std::move(known), *coding, {facts.path}, {}, {}};
    if (one.known.form == Form::one_a_step) one.steps.push_back(step_in(facts.path, one.known.series));
    found_.push_back(std::move(one));
  }

  // The fields of the series, in order of their paths.
  std::vector<Found> take(const std::string& path) {
    std::erase_if(found_, [&](const Found& one) { return times_.contains(one.facts.path); });
    for (Found& one : found_) order_steps(one);
    std::map<std::string, std::uint64_t> bytes;
    for (const Found& one : found_) bytes[one.key()] += one.bytes();
    if (bytes.empty()) {
      throw Error(ErrorKind::data, path, "has no dataset that is known to hold steps",
                  left_out_.empty() ? "name one and its axes; weft inspect shows what there is" : left_out_[0]);
    }
    const auto most =
        std::max_element(bytes.begin(), bytes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    std::vector<Found> series;
    for (Found& one : found_) {
      if (one.key() == most->first) {
        series.push_back(std::move(one));
      } else {
        left_out_.push_back(
            fmt::format("{}: has {} steps of its own: FILE:{}", one.facts.path, one.length(), one.facts.path));
      }
    }
    name(series);
    return series;
  }

  std::vector<std::string> left_out() && { return std::move(left_out_); }

 private:
  // Values that are no numbers, or none that Weft has a type for. Said once where each step is a dataset of its own;
  // not said of what has no steps.
  void leave_out(const DatasetFacts& facts, const std::optional<KnownAxes>& known) {
    if (!known || (known->form == Form::one_a_step && !strange_.insert(known->series).second)) return;
    left_out_.push_back(fmt::format("{}: is of {}, which Weft does not compute with", facts.path, facts.type));
  }

  // Steps, nodes, components.
  KnownAxes steps_first(const DatasetFacts& facts) const {
    KnownAxes assumed = survey::told_axes(file_, facts, layout::axis_names(layout::default_axes(facts.shape.size())));
    assumed.convention = survey::Convention::assumed;
    return assumed;
  }

  void add_step(Found& field, const DatasetFacts& facts, const KnownAxes& known) {
    if (facts.shape != field.facts.shape || facts.type != field.facts.type || known.axes != field.known.axes) {
      left_out_.push_back(fmt::format("{}: is {} of {}, other steps are {} of {}", facts.path, to_string(facts.shape),
                                      facts.type, to_string(field.facts.shape), field.facts.type));
      return;
    }
    field.datasets.push_back(facts.path);
    field.steps.push_back(step_in(facts.path, known.series));
  }

  static void order_steps(Found& field) {
    if (field.steps.empty()) return;
    std::vector<std::size_t> order(field.steps.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return comes_before(field.steps[a], field.steps[b]); });
    std::vector<std::string> datasets;
    std::vector<std::string> steps;
    for (const std::size_t i : order) {
      datasets.push_back(std::move(field.datasets[i]));
      steps.push_back(std::move(field.steps[i]));
    }
    field.datasets = std::move(datasets);
    field.steps = std::move(steps);
  }

  // The last name where no other field has it, else all behind the first slash; of a dataset a step all behind the
  // step.
  static void name(std::vector<Found>& series) {
    std::map<std::string, int> leaves;
    const auto leaf = [](const Found& one) { return one.facts.path.substr(one.facts.path.rfind('/') + 1); };
    for (const Found& one : series) ++leaves[leaf(one)];
    for (Found& one : series) {
      const std::size_t step = one.known.series.find("%T/");
      const std::string longer =
          step == std::string::npos ? one.facts.path.substr(1) : one.known.series.substr(step + 3);
      const bool alone = leaves[leaf(one)] == 1 && leaf(one) != "time" && step == std::string::npos;
      one.name = alone ? leaf(one) : longer;
      if (one.name == "time") one.name = "time_values";  // "time" is what every series calls its times
    }
  }

  hid_t file_;
  const SeriesChoice& choice_;
  std::vector<Found> found_;
  std::map<std::string, std::size_t> by_series_;
  std::set<std::string> times_;
  std::set<std::string> strange_;  // series of datasets that are left out
  std::vector<std::string> left_out_;
};

std::vector<double> numbers_in(hid_t file, const std::string& path, const std::string& dataset, std::uint64_t steps) {
  const Handle values = opened(file, dataset);
  const Handle space(H5Dget_space(values));
  const auto count = static_cast<std::uint64_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space)));
  if (count != steps) {
    throw Error(ErrorKind::data, path, fmt::format("{} has {} values for {} steps", dataset, count, steps),
                "name the dataset of this series' times");
  }
  std::optional<std::vector<double>> numbers = all_values(values);
  if (!numbers) throw Error(ErrorKind::data, path, dataset + " holds no numbers", "name the dataset of the times");
  return *std::move(numbers);
}

// openPMD 1.1: every iteration has its `time`, in units of `timeUnitSI` seconds.
// https://github.com/openPMD/openPMD-standard/blob/1.1.0/STANDARD.md
std::vector<double> iteration_times(hid_t file, const Found& field, std::string& units) {
  std::vector<double> times;
  const std::string before = field.known.series.substr(0, field.known.series.find("%T"));
  for (const std::string& step : field.steps) {
    const Handle group(H5Gopen2(file, (before + step).c_str(), H5P_DEFAULT));
    const std::vector<double> time = storage::read_numbers(group, "time");
    const std::vector<double> unit = storage::read_numbers(group, "timeUnitSI");
    if (time.size() != 1) break;
    times.push_back(time[0] * (unit.size() == 1 ? unit[0] : 1.0));
  }
  H5Eclear2(H5E_DEFAULT);
  if (times.size() == field.steps.size()) {
    units = "s";
    return times;
  }
  times.clear();
  for (std::size_t step = 0; step < field.steps.size(); ++step) times.push_back(static_cast<double>(step));
  return times;
}

storage::FieldEntry field_entry(const Found& found, const Shape& shape) {
  storage::FieldEntry field;
  field.name = found.name;
  field.type = found.coding.type;
  field.per_step.assign(shape.begin() + 1, shape.end());
  const std::vector<std::size_t> places = layout::spatial_axes(found.known.axes);
  field.node_axes = places.size();
  field.support = places.empty()                                                     ? storage::Support::global
                  : places.size() == 1 && found.known.axes[places[0]].name == "cell" ? storage::Support::cells
                                                                                     : storage::Support::nodes;
  const std::vector<survey::Variable>& variables = found.known.variables;
  if (variables.size() == components_of(field) && field.per_step.size() > field.node_axes) {
    for (const survey::Variable& variable : variables) {
      field.components.push_back(variable.name);
      field.component_units.push_back(variable.units);
    }
  }
  const bool alike = std::all_of(variables.begin(), variables.end(),
                                 [&](const survey::Variable& one) { return one.units == variables[0].units; });
  if (!variables.empty() && alike) field.units = variables[0].units;
  if (alike) field.component_units.clear();
  return field;
}

Shape chunk_of(const Found& found, const AxisOrder& order) {
  const DatasetFacts& facts = found.facts;
  const Shape chunk = facts.chunk.empty() ? facts.shape : facts.chunk;
  if (const auto seen = survey::chunk_as_seen(found.known, chunk)) return reordered(*seen, order);
  Shape cut = found.known.shape;  // chunks that straddle steps
  cut[0] = 1;
  return reordered(cut, order);
}

void add_field(ForeignSeries& series, const Found& found) {
  const AxisOrder order = steps_then_places(found.known.axes);
  storage::ArrayEntry array;
  array.type = found.coding.type;
  array.shape = reordered(found.known.shape, order);
  array.chunk = chunk_of(found, order);
  for (const storage::Filter& filter : found.facts.filters) array.filters.push_back(filter.name);
  series.catalog.fields.push_back(field_entry(found, array.shape));
  series.decodings.push_back({found.known.form, found.known.shape, order, found.coding});
  for (std::size_t segment = 0; segment < found.datasets.size(); ++segment) {
    array.path = found.datasets[segment];
    series.catalog.segments[segment].fields.push_back(array);
  }
}

void add_times(ForeignSeries& series, hid_t file, const Found& found, const SeriesChoice& choice) {
  const std::uint64_t steps = found.length();
  storage::FieldEntry time{"time", DataType::float64, {}, storage::Support::global, found.known.time_units, ""};
  time.node_axes = 0;
  std::string dataset = choice.time.value_or(found.known.time);
  if (found.known.form == Form::one_a_step && !choice.time) {
    series.times = iteration_times(file, found, time.units);
  } else if (dataset.empty()) {
    for (std::uint64_t step = 0; step < steps; ++step) series.times.push_back(static_cast<double>(step));
  } else {
    if (!dataset.starts_with('/')) dataset.insert(0, "/");
    series.times = numbers_in(file, series.catalog.path, dataset, steps);
    if (choice.time) time.units = survey::time_units_of(opened(file, dataset));
  }
  series.catalog.fields.push_back(std::move(time));
  series.decodings.emplace_back();
  const std::uint64_t each = found.known.form == Form::one_a_step ? 1 : steps;
  for (std::uint64_t first = 0; first < steps; first += each) {
    storage::ArrayEntry array;
    array.path = dataset;
    array.shape = array.chunk = {each};
    series.catalog.segments.push_back({first, each, {array}});
  }
}

void add_grids(ForeignSeries& series, hid_t file, const std::vector<Found>& found) {
  std::uint64_t most = 0;
  series.grids.resize(found.size() + 1);
  for (std::size_t f = 0; f < found.size(); ++f) {
    const storage::FieldEntry& field = series.catalog.fields[f + 1];
    if (field.node_axes != 2 && field.node_axes != 3) continue;
    GridPlaces places = grid_places(file, found[f].known, found[f].datasets[0], field.per_step);
    series.grids[f + 1] = std::move(places.grid);
    for (std::string& line : places.left_out) {
      if (std::ranges::count(series.left_out, line) == 0) series.left_out.push_back(std::move(line));
    }
    if (nodes_of(field) <= most) continue;
    most = nodes_of(field);
    series.catalog.grid = series.grids[f + 1];
  }
}

// By its path, or as much of its end as no other dataset has; of a series with a dataset a step, the first of them.
const DatasetFacts& named_dataset(hid_t file, const std::string& path, const survey::Survey& all,
                                  const std::string& name) {
  if (const DatasetFacts* exactly = all.find(name)) return *exactly;
  std::vector<const DatasetFacts*> fitting;
  const std::string end = name.starts_with('/') ? name : "/" + name;
  for (const DatasetFacts& facts : all.datasets) {
    if (facts.path.ends_with(end)) fitting.push_back(&facts);
  }
  if (fitting.empty()) {
    throw Error(ErrorKind::data, path, "has no dataset " + name, "weft inspect shows what it holds");
  }
  const auto series_of = [&](const DatasetFacts& facts) {
    const std::optional<KnownAxes> known = survey::known_axes(file, facts);
    return known && known->form == Form::one_a_step ? known->series : facts.path;
  };
  const auto holds_steps = [&](const DatasetFacts* facts) { return survey::known_axes(file, *facts).has_value(); };
  if (std::any_of(fitting.begin(), fitting.end(), holds_steps)) {
    std::erase_if(fitting, [&](const DatasetFacts* facts) { return !holds_steps(facts); });
  }
  const std::string first = series_of(*fitting[0]);
  for (const DatasetFacts* other : fitting) {
    if (series_of(*other) == first) continue;
    throw Error(ErrorKind::usage, path, fmt::format("has {} and {}", fitting[0]->path, other->path),
                "name one of them with its whole path");
  }
  return *fitting[0];
}

}  // namespace

ForeignSeries find_series(const std::string& path, const SeriesChoice& choice) {
  const storage::QuietHdf5 quiet;
  if (!choice.axes.empty() && choice.dataset.empty()) {  // of the largest field
    const ForeignSeries known = find_series(path);
    SeriesChoice told = choice;
    std::uint64_t most = 0;
    for (const storage::ArrayEntry& array :
         std::span(known.catalog.segments[0].fields).subspan(1)) {  // behind the times
      const std::uint64_t bytes = element_count(array.shape) * size_of(array.type);
      if (bytes < most) continue;
      told.dataset = array.path;
      most = bytes;
    }
    return find_series(path, told);
  }
  ForeignSeries series;
  series.catalog.path = path;
  const Handle file = survey::open_file(path);
  Search search(file, choice);
  const survey::Survey all = survey::survey(path);
  if (choice.dataset.empty()) {
    for (const DatasetFacts& facts : all.datasets) search.add(facts);
  } else {
    const DatasetFacts* facts = &named_dataset(file, path, all, choice.dataset);
    if (!facts->numbers || facts->empty || facts->scalar) {
      throw Error(ErrorKind::data, path,
                  facts->numbers ? fmt::format("{} of shape {} holds no steps", facts->path, to_string(facts->shape))
                                 : fmt::format("{} is of {}, and not of numbers", facts->path, facts->type),
                  "weft inspect shows what else there is");
    }
    const auto known = choice.axes.empty() ? survey::known_axes(file, *facts) : std::nullopt;
    for (const DatasetFacts& other : all.datasets) {
      // Other steps of the same field.
      const bool step = known && known->form == Form::one_a_step && other.path != facts->path;
      if (other.path == facts->path) search.add(other);
      if (!step) continue;
      const auto its = survey::known_axes(file, other);
      if (its && its->series == known->series) search.add(other);
    }
  }
  const std::vector<Found> found = search.take(path);
  series.convention = found[0].known.convention;
  add_times(series, file, found[0], choice);
  for (const Found& field : found) add_field(series, field);
  series.catalog.length = found[0].length();
  series.left_out = std::move(search).left_out();
  add_grids(series, file, found);
  return series;
}

}  // namespace weft::reading
