// The steps of a file, whoever wrote it (reading/series_reader.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "kernels/ecg/step_source.hpp"
#include "weft/reading/series_reader.hpp"
#include "weft/series/mesh_share.hpp"
#include "weft/support/error.hpp"
#include "weft/view/series_mesh.hpp"

namespace weft::kernels::ecg {

namespace {

using storage::FieldEntry;

// How much of the file a rank reads ahead: one read for many steps, and a bound on memory.
constexpr std::uint64_t kAheadBytes = 64ULL << 20;

// The one that is named, the only one, /Data, or the one with most values.
std::string replayed_field(const SeriesReader& reader) {
  const std::string named = reader.named_field();
  const FieldEntry* most = nullptr;
  for (const FieldEntry& field : reader.fields()) {
    if (field.support == storage::Support::global || (!named.empty() && field.name != named)) continue;
    if (field.name == "Data") return field.name;
    if (most == nullptr || element_count(field.per_step) > element_count(most->per_step)) most = &field;
  }
  if (most == nullptr) {
    throw Error(ErrorKind::usage, reader.path(), "has no field on nodes to replay", "weft info shows its fields");
  }
  return most->name;
}

class ReplaySource final : public StepSource {
 public:
  ReplaySource(Communicator& comm, SeriesReader reader, std::uint64_t nodes, std::uint64_t steps, bool mesh,
               Dealing dealing)
      : reader_(std::move(reader)),
        name_(replayed_field(reader_)),
        times_(reader_.times()),
        mine_(dealt_nodes(dealing, nodes, comm.rank(), comm.size())),
        steps_(steps) {
    const FieldEntry& from = reader_.field(name_);
    SourceField field;
    field.name = name_;
    std::replace(field.name.begin(), field.name.end(), '/', '_');  // openPMD's "fields/E/x"
    field.type = from.type;
    field.units = from.units;
    field.components = from.components;
    field.component_units = from.component_units;
    if (mesh && from.subset == storage::Subset::all && has_mesh(reader_)) {
      mesh_ = read_mesh(reader_);
      if (mesh_->points.size() == 3 * nodes) {
        share_ = even_share(*mesh_, comm.rank(), comm.size(), cell_sizes_);
      } else {
        mesh_.reset();
      }
    }
    field.per_step = {nodes};
    const auto places = static_cast<std::ptrdiff_t>(places_of(from).size());
    field.per_step.insert(field.per_step.end(), from.per_step.begin() + places, from.per_step.end());
    field.owned = partition::Ownership::nodes(field.per_step, mine_);
    row_bytes_ = element_count(field.per_step) / nodes * size_of(field.type);
    fields_.push_back(std::move(field));
    if (!mine_.empty()) {
      low_ = *std::min_element(mine_.begin(), mine_.end());
      span_ = *std::max_element(mine_.begin(), mine_.end()) - low_ + 1;
      ahead_ = std::clamp<std::uint64_t>(kAheadBytes / (span_ * row_bytes_), 1, steps);
    }
  }

  const std::vector<SourceField>& fields() const override { return fields_; }
  std::uint64_t steps() const override { return steps_; }
  std::uint64_t nodes() const override { return fields_[0].per_step[0]; }
  double time_of(std::uint64_t step) override { return times_[step]; }
  std::string time_units() const override { return reader_.field("time").units; }
  std::optional<MeshSpec> mesh() override { return share_; }
  void forget_mesh() override {
    share_.reset();
    mesh_.reset();
    cell_sizes_ = {};
  }

  std::span<const std::byte> values(std::size_t, std::uint64_t step) override {
    if (mine_.empty()) return {};
    if (step < first_ || step >= first_ + held_) read_ahead(step);
    const std::byte* read = buffer_.data() + (step - first_) * span_ * row_bytes_;
    if (span_ == mine_.size() && std::is_sorted(mine_.begin(), mine_.end())) return {read, span_ * row_bytes_};
    picked_.resize(mine_.size() * row_bytes_);
    for (std::size_t i = 0; i < mine_.size(); ++i) {
      std::memcpy(picked_.data() + i * row_bytes_, read + (mine_[i] - low_) * row_bytes_, row_bytes_);
    }
    return picked_;
  }

 private:
  // Reads steps [step, step + ahead) of the nodes from the lowest to the highest of this rank.
  void read_ahead(std::uint64_t step) {
    first_ = step;
    held_ = std::min(ahead_, steps_ - step);
    buffer_.resize(held_ * span_ * row_bytes_);
    reader_.read_nodes(name_, low_, span_, first_, held_, buffer_);
  }

  SeriesReader reader_;
  std::string name_;  // as the file has it
  std::vector<double> times_;
  std::vector<std::uint64_t> mine_;
  std::uint64_t steps_;
  std::optional<view::Mesh> mesh_;
  std::vector<std::int64_t> cell_sizes_;
  std::optional<MeshSpec> share_;  // of the two
  std::vector<SourceField> fields_;
  std::uint64_t row_bytes_ = 0;
  std::uint64_t low_ = 0;   // lowest node of this rank
  std::uint64_t span_ = 0;  // nodes from the lowest to the highest
  std::uint64_t ahead_ = 1;
  std::uint64_t first_ = 0;
  std::uint64_t held_ = 0;
  std::vector<std::byte> buffer_;
  std::vector<std::byte> picked_;
};

}  // namespace

std::unique_ptr<StepSource> replay_source(Communicator& comm, const std::string& from,
                                          std::optional<std::uint64_t> nodes, std::optional<std::uint64_t> steps,
                                          bool mesh, Dealing dealing) {
  ReadOptions options;
  options.access = layout::AccessCost{};  // all of it is read, in order
  SeriesReader reader = SeriesReader::open(comm, from, options);
  std::unique_ptr<StepSource> source;
  agree_on(comm, [&] {
    const std::string name = replayed_field(reader);
    const auto take = [&](std::optional<std::uint64_t>& wanted, std::uint64_t there, const char* what) {
      if (there == 0) throw Error(ErrorKind::usage, reader.path(), fmt::format("has no {} to replay", what));
      if (wanted && (*wanted > there || *wanted == 0)) {
        throw Error(ErrorKind::usage, reader.path(), fmt::format("has {} {}, not {}", there, what, *wanted),
                    fmt::format("leave --{} out to take all", what));
      }
      if (!wanted) wanted = there;
    };
    take(steps, reader.committed(), "steps");
    take(nodes, nodes_of(reader.field(name)), "nodes");
    source = std::make_unique<ReplaySource>(comm, std::move(reader), *nodes, *steps, mesh, dealing);
  });
  return source;
}

}  // namespace weft::kernels::ecg
