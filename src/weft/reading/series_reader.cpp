#include "weft/reading/series_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>

#include "weft/layout/chunk_grid.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/shared_file.hpp"
#include "weft/storage/store_cost.hpp"
#include "weft/support/error.hpp"

namespace weft {

using storage::ArrayEntry;
using storage::FieldEntry;
using storage::ReadPlan;

std::size_t SeriesReader::field_number(const std::string& name) const {
  const std::optional<std::size_t> number = catalog_.find_field(name);
  if (number) return *number;
  // By the path of its dataset, too, or as much of its end as no other has.
  const auto ends_with_it = [&](std::size_t f) {
    const std::string& dataset = catalog_.segments[0].fields[f].path;
    return dataset == name || dataset.ends_with("/" + name);
  };
  std::optional<std::size_t> found;
  std::size_t fitting = 0;
  for (std::size_t f = 1; foreign_ && f < catalog_.fields.size(); ++f) {
    if (!ends_with_it(f)) continue;
    found = f;
    ++fitting;
  }
  if (fitting == 1) return *found;
  std::vector<std::string_view> known;
  for (const FieldEntry& known_field : fields()) known.push_back(known_field.name);
  throw Error(ErrorKind::usage, path(), fmt::format("has no field '{}'", name),
              known.empty() ? "it holds no fields" : fmt::format("its fields are: {}", fmt::join(known, ", ")));
}

std::string SeriesReader::named_field() const {
  if (foreign_ == nullptr && !named_.empty()) return field(named_.starts_with('/') ? named_.substr(1) : named_).name;
  return fields().size() == 1 ? fields()[0].name : "";
}

std::string SeriesReader::chosen_field(const std::string& asked) const {
  if (!asked.empty()) return field(asked).name;
  if (std::string named = named_field(); !named.empty()) return named;
  std::vector<std::string_view> names;
  for (const FieldEntry& known : fields()) names.push_back(known.name);
  throw Error(ErrorKind::usage, path(), fmt::format("holds {} fields", names.size()),
              names.empty() ? "its times are the field 'time'"
                            : fmt::format("choose one with --field: {}", fmt::join(names, ", ")));
}

const FieldEntry& SeriesReader::field(const std::string& name) const { return catalog_.fields[field_number(name)]; }

std::vector<double> SeriesReader::times() const {
  std::vector<double> values(committed_);
  if (committed_ > 0) read<double>("time", {{0}, {committed_}}, values);
  return values;
}

storage::Attributes SeriesReader::attributes(const std::string& object) const {
  const std::scoped_lock lock(reading::hdf5_lock());
  const storage::QuietHdf5 quiet;
  const storage::Handle file = storage::open_read_only(whole_path_);
  if (!file.valid()) storage::throw_not_opened(path(), "it is damaged");
  if (storage::inode_of(whole_path_) != inode_) throw reading::replaced(path());
  return storage::read_attributes(storage::Handle(storage::check_hdf5(
      H5Oopen(file, object.c_str(), H5P_DEFAULT), path(), "cannot open " + object, ErrorKind::data)));
}

reading::FieldBoxes SeriesReader::boxes(const std::string& name) const {
  return {path(), name, field(name), steps(), committed_};
}

void SeriesReader::check_type(const std::string& name, DataType type) const {
  const DataType held = field(name).type;
  if (held == type) return;
  throw Error(ErrorKind::usage, path(),
              fmt::format("field '{}' holds {} and was asked for as {}", name, name_of(held), name_of(type)),
              fmt::format("read it as {}", name_of(held)));
}

void SeriesReader::for_each_segment(const Box& box, const std::function<void(std::size_t, const Box&)>& visit) const {
  const std::uint64_t end = box.start[0] + box.count[0];
  for (std::size_t number = 0; number < catalog_.segments.size(); ++number) {
    const storage::SegmentEntry& segment = catalog_.segments[number];
    const std::uint64_t from = std::max(box.start[0], segment.first_step);
    const std::uint64_t to = std::min(end, segment.first_step + segment.steps);
    if (from >= to) continue;
    Box part = box;
    part.start[0] = from - segment.first_step;
    part.count[0] = to - from;
    visit(number, part);
  }
}

reading::StoredArray* SeriesReader::stored_array(std::size_t segment, std::size_t field) const {
  const ArrayEntry& array = catalog_.segments[segment].fields[field];
  if (array.addresses.known()) return nullptr;
  return &arrays_->at(segment, field, [&] {
    return new reading::StoredArray(opened_, array,
                                    foreign_ ? foreign_->decodings[field] : reading::plain_decoding(array),
                                    options_.on_request, arrays_->kept());
  });
}

const ArrayEntry* SeriesReader::direct_entry(std::size_t segment, std::size_t field) const {
  const reading::StoredArray* stored = stored_array(segment, field);
  if (stored == nullptr) return &catalog_.segments[segment].fields[field];
  return stored->direct() ? &*stored->direct() : nullptr;
}

bool SeriesReader::reads_directly(const std::string& name) const {
  const std::size_t number = field_number(name);
  if (foreign_ && number == 0) return false;
  bool directly = true;
  for (std::size_t segment = 0; directly && segment < catalog_.segments.size(); ++segment) {
    directly = direct_entry(segment, number) != nullptr;
  }
  return directly;
}

ReadPlan SeriesReader::plan(const std::string& name, const Box& box) const {
  boxes(name).check(box);
  const std::size_t number = field_number(name);
  const layout::AccessCost access = access_cost();
  ReadPlan plan;
  for_each_segment(box, [&](std::size_t segment, const Box& part) {
    const ArrayEntry* array = foreign_ && number == 0 ? nullptr : direct_entry(segment, number);
    if (array == nullptr) {
      throw Error(ErrorKind::usage, path(), fmt::format("field '{}' is decoded when it is read", name),
                  "only what lies as it is in the file is read by a plan");
    }
    try {
      append_read(plan, *array, part, access);
    } catch (const Error& error) {
      throw Error(error.kind(), path(), error.what());  // storage/ names the dataset, not the file
    }
  });
  return plan;
}

layout::ReadCost SeriesReader::predicted(const std::string& name, const Box& box) const {
  boxes(name).check(box);
  const std::size_t number = field_number(name);
  const layout::AccessCost access = access_cost();
  layout::ReadCost sum;
  for_each_segment(box, [&](std::size_t segment, const Box& part) {
    if (foreign_ && number == 0) return;  // the times were read when the file was opened
    const ArrayEntry* direct = direct_entry(segment, number);
    const ArrayEntry& array = direct != nullptr ? *direct : catalog_.segments[segment].fields[number];
    std::optional<layout::Coding> coding;
    std::optional<survey::DatasetReader::Requests> known;
    if (reading::StoredArray* stored = direct == nullptr ? stored_array(segment, number) : nullptr;
        stored != nullptr && stored->fetches_whole_chunks()) {
      known = stored->requests_of(part);
      coding = layout::Coding{known ? 1.0 : stored->stored_share()};
    }
    layout::ReadCost cost =
        layout::predict(layout::ChunkGrid::stored(array.shape, array.chunk, size_of(array.type)), part, access, coding);
    if (known) {
      // Each chunk has become as long as its values let it.
      cost.requests = known->count;
      cost.bytes = cost.hdf5_bytes = known->bytes;
    }
    sum.asked_bytes += cost.asked_bytes;
    sum.chunks += cost.chunks;
    sum.requests += cost.requests;
    sum.bytes += cost.bytes;
    sum.hdf5_bytes += cost.hdf5_bytes;
  });
  return sum;
}

void SeriesReader::execute(const ReadPlan& plan, const layout::AccessCost& access, std::span<std::byte> values) const {
  const storage::ReadOutcome outcome = storage::execute_read(plan, *bytes_, access, values, options_.max_threads);
  if (learned_) learned_->saw(access, outcome);
}

void SeriesReader::read(const std::string& name, std::span<const Box> boxes, std::span<std::byte> values) const {
  const std::size_t number = field_number(name);
  const std::uint64_t value_bytes = size_of(catalog_.fields[number].type);
  struct Part {
    std::size_t segment;
    Box box;
    std::span<std::byte> to;
  };
  const layout::AccessCost access = access_cost();
  std::vector<Part> parts;
  std::size_t at = 0;
  for (const Box& box : boxes) {
    this->boxes(name).check(box);
    const std::uint64_t step_bytes = box.count[0] == 0 ? 0 : element_count(box.count) / box.count[0] * value_bytes;
    for_each_segment(box, [&](std::size_t segment, const Box& part) {
      const std::size_t bytes = part.count[0] * step_bytes;
      if (at + bytes <= values.size()) parts.push_back({segment, part, values.subspan(at, bytes)});
      at += bytes;
    });
  }
  if (at != values.size()) {
    throw Error(ErrorKind::usage, path(),
                fmt::format("{} bytes for {} of {} {}", values.size(),
                            boxes.size() == 1 ? "a box" : fmt::format("{} boxes", boxes.size()), at / value_bytes,
                            name_of(catalog_.fields[number].type)),
                "pass as much memory as there are values");
  }
  if (foreign_ && number == 0) {
    for (const Part& part : parts) {
      const std::uint64_t first = catalog_.segments[part.segment].first_step + part.box.start[0];
      std::memcpy(part.to.data(), foreign_->times.data() + first, part.to.size());
    }
    return;
  }
  // Either all of it is one plan, or each part is read by itself.
  const bool directly = std::all_of(parts.begin(), parts.end(),
                                    [&](const Part& part) { return direct_entry(part.segment, number) != nullptr; });
  try {
    ReadPlan plan;
    std::map<std::size_t, std::vector<reading::StoredArray::Part>> decoded;  // by their segment
    for (const Part& part : parts) {
      const ArrayEntry* array = direct_entry(part.segment, number);
      if (array == nullptr) {
        decoded[part.segment].push_back({part.box, part.to});
      } else if (directly) {
        append_read(plan, *array, part.box, access);
      } else {
        execute(plan_read(*array, part.box, access), access, part.to);
      }
    }
    if (directly) execute(plan, access, values);
    for (const auto& [segment, boxes_of_it] : decoded) stored_array(segment, number)->read(boxes_of_it);
  } catch (const Error& error) {
    throw Error(error.kind(), path(), error.what());  // storage/ names the dataset, not the file
  }
  for (const Part& part : parts) {
    const reading::StoredArray* stored = stored_array(part.segment, number);
    if (stored != nullptr && stored->direct()) stored->unpack(part.to);
  }
}

void SeriesReader::read_nodes(const std::string& name, std::uint64_t first, std::uint64_t nodes,
                              std::uint64_t first_step, std::uint64_t steps, std::span<std::byte> values) const {
  const FieldEntry& known = field(name);
  const std::vector<Box> all = boxes(name).of_nodes(first, nodes, first_step, steps);
  if (all.size() == 1) return read(name, all[0], values);
  const std::uint64_t node_bytes = components_of(known) * size_of(known.type);
  if (values.size() != steps * nodes * node_bytes) {
    throw Error(ErrorKind::usage, path(),
                fmt::format("{} bytes for {} steps of {} nodes of {} bytes", values.size(), steps, nodes, node_bytes),
                "pass as much memory as there are values");
  }
  if (steps == 0) return;
  Values<std::byte> part;
  std::uint64_t before = 0;  // bytes of a step that other boxes hold
  for (const Box& box : all) {
    const std::uint64_t step_bytes = element_count(box.count) / steps * size_of(known.type);
    part.resize(step_bytes * steps);
    read(name, box, std::span<std::byte>(part));
    for (std::uint64_t step = 0; step < steps; ++step) {
      std::memcpy(values.data() + step * nodes * node_bytes + before, part.data() + step * step_bytes, step_bytes);
    }
    before += step_bytes;
  }
}

void SeriesReader::read_fixed(const std::string& array_path, std::span<std::byte> values) const {
  const ArrayEntry* array = catalog_.find_fixed(array_path);
  if (array == nullptr) {
    std::vector<std::string_view> known;
    for (const ArrayEntry& fixed : catalog_.fixed_arrays) known.push_back(fixed.path);
    throw Error(ErrorKind::usage, path(), fmt::format("has no array '{}'", array_path),
                known.empty() ? "it holds none" : fmt::format("it holds: {}", fmt::join(known, ", ")));
  }
  const layout::AccessCost access = access_cost();
  execute(plan_read(*array, whole(array->shape), access), access, values);
}

layout::AccessCost SeriesReader::recorded_access_cost(const std::string& name) const {
  layout::AccessCost access;
  const nlohmann::json rationale = nlohmann::json::parse(field(name).rationale, nullptr, false);
  const auto number = [&](const char* key, double fallback) {
    const auto found = rationale.is_object() ? rationale.find("store") : rationale.end();
    if (found == rationale.end() || !found->is_object()) return fallback;
    const auto value = found->find(key);
    return value != found->end() && value->is_number() && value->get<double>() > 0 ? value->get<double>() : fallback;
  };
  access.latency_s = number("latency_s", access.latency_s);
  access.bandwidth = number("bandwidth", access.bandwidth);
  return access;
}

}  // namespace weft
