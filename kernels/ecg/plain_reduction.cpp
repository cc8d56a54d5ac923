#include "kernels/ecg/plain_reduction.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "weft/partition/ownership.hpp"
#include "weft/reduce/field_choice.hpp"
#include "weft/reduce/map_file.hpp"
#include "weft/reduce/map_stretch.hpp"
#include "weft/reduce/trace_reducer.hpp"

namespace weft::kernels::ecg {

namespace {

constexpr std::uint64_t kNodesTogether = 4096;  // of which the maps are written at a time
constexpr double kFill = std::numeric_limits<double>::quiet_NaN();

// All times of one value of a node, one H5Dread for each dataset that holds some of them: one, but where the series was
// written without saying how long it would be.
class Traces {
 public:
  Traces(const SeriesReader& reader, PlainFile& file, const reduce::FieldChoice& choice)
      : catalog_(reader.catalog()), file_(file), field_(choice.field + 1), values_(reader.committed()) {
    box_ = whole(catalog_.segments[0].fields[field_].shape);
    std::uint64_t rest = choice.component;
    for (std::size_t axis = box_.count.size(); axis-- > 2;) {
      box_.start[axis] = rest % box_.count[axis];
      rest /= box_.count[axis];
      box_.count[axis] = 1;
    }
    box_.count[1] = 1;
  }

  std::span<const double> read(std::uint64_t node) {
    box_.start[1] = node;
    for (const storage::SegmentEntry& segment : catalog_.segments) {
      if (segment.first_step >= values_.size()) break;
      box_.count[0] = std::min<std::uint64_t>(segment.steps, values_.size() - segment.first_step);
      const auto part = std::span(values_).subspan(segment.first_step, box_.count[0]);
      file_.read(segment.fields[field_].path, box_, DataType::float64, std::as_writable_bytes(part));
    }
    return values_;
  }

 private:
  const storage::SeriesCatalog& catalog_;
  PlainFile& file_;
  std::size_t field_;  // in the catalog, where the time is the first
  std::vector<double> values_;
  Box box_;
};

}  // namespace

PlainReductionReport reduce_plainly(Communicator& comm, const PlainReduction& reduction, const SeriesReader& reader,
                                    PlainFile& file) {
  std::vector<double> times;
  std::vector<reduce::MapPlan> maps;
  std::optional<Traces> traces;
  PlainReductionReport report;
  agree_on(comm, [&] {
    reduce::check_settings(reader.path(), reduction.quantities, 0, reduction.settings);
    const reduce::FieldChoice choice = reduce::choose_field(reader.path(), reader.fields(), reduction.field);
    const storage::FieldEntry& field = reader.fields()[choice.field];
    times = reader.times();
    maps = reduce::plan_maps(reduction.quantities, {}, reduction.settings, field.units, reader.field("time").units);
    traces.emplace(reader, file, choice);
    report.nodes = nodes_of(field);
  });
  reduce::MapFile out(comm, reduction.out, storage::IfExists::replace, false);
  const std::vector<std::uint64_t> addresses = out.create(maps, report.nodes);
  const partition::Block mine = partition::even_block(report.nodes, comm.rank(), comm.size());
  reduce::TraceReducer reducer(reduction.quantities, reduction.settings);
  std::vector<double> result(reducer.rows());
  std::unique_ptr<storage::ByteStore> store;
  std::optional<reduce::MapWriter> writer;
  std::optional<reduce::MapStretch> stretch;
  agree_on(comm, [&] {
    store = out.open();
    writer.emplace(*store, addresses, report.nodes, kFill);
    stretch.emplace(maps, *writer, result);
    for (std::uint64_t done = 0; done < mine.count;) {
      const std::uint64_t count = std::min(kNodesTogether, mine.count - done);
      stretch->begin(mine.first + done, count);
      for (std::uint64_t node = 0; node < count; ++node) {
        const std::uint64_t beats = reducer.reduce(traces->read(mine.first + done + node), times, result);
        stretch->set(node, result, beats);
        if (reduction.progress) reduction.progress(done + node + 1, mine.count);
      }
      stretch->write({});
      done += count;
    }
  });
  report.most_beats = comm.max(stretch->most_beats());
  report.beyond_rows = comm.sum(stretch->beyond_rows());
  const std::uint64_t rows = std::min(report.most_beats, reduction.settings.max_beats);
  agree_on(comm, [&] {
    stretch->fill_up(rows);
    store->close();
  });
  out.finish(maps, {report.nodes}, rows, {reader.path(), reduction.field, reduction.settings.threshold, kFill});
  return report;
}

}  // namespace weft::kernels::ecg
