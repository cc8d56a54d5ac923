// bindings/reading.cpp - weft::SeriesReader: fields, and boxes of them into arrays that Python made.
//
// Every call that opens or reads a file lets other Python threads run meanwhile.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "bindings/bindings.hpp"
#include "weft/reading/series_reader.hpp"
#include "weft/reading/snapshot_sweep.hpp"
#include "weft/reading/stored_array.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/wrapped_stores.hpp"

namespace nb = nanobind;

namespace weft::bindings {
namespace {

using Released = nb::call_guard<nb::gil_scoped_release>;
using Target = nb::ndarray<nb::c_contig, nb::device::cpu>;
using Corners = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;  // (boxes, axes)

std::span<std::byte> bytes_of(const Target& target) {
  return {static_cast<std::byte*>(target.data()), target.nbytes()};
}

struct Wishes {
  std::optional<std::uint64_t> budget{};
  std::optional<int> threads{};
  std::optional<double> latency{};    // seconds a request
  std::optional<double> bandwidth{};  // bytes a second
  std::string dataset{};
  std::optional<std::string> time{};
  std::string axes{};
  // For tests: so many seconds are added to each request, and requests are counted.
  double delay = 0;
  std::shared_ptr<storage::RequestCounters> requests{};
};

ReadOptions options_of(const Wishes& wishes) {
  ReadOptions options;
  if (wishes.budget) options.budget_bytes = *wishes.budget;
  if (wishes.threads) options.max_threads = *wishes.threads;
  options.choice = {wishes.dataset, wishes.time, wishes.axes};
  if (wishes.latency || wishes.bandwidth) {
    options.access = layout::AccessCost{};
    options.access->latency_s = wishes.latency.value_or(options.access->latency_s);
    options.access->bandwidth = wishes.bandwidth.value_or(options.access->bandwidth);
  }
  if (wishes.delay > 0 || wishes.requests) {
    // Chunks that are decoded do not come through the store.
    options.on_request = [delay = std::chrono::duration<double>(wishes.delay),
                          requests = wishes.requests](std::uint64_t bytes) {
      if (delay.count() > 0) std::this_thread::sleep_for(delay);
      if (!requests) return;
      ++requests->reads;
      requests->bytes_read += bytes;
    };
    options.wrap = [delay = wishes.delay, requests = wishes.requests](std::unique_ptr<storage::ByteStore> store) {
      if (delay > 0) store = storage::delaying_store(std::move(store), delay, 0);
      if (requests) store = storage::counting_store(std::move(store), requests);
      return store;
    };
  }
  return options;
}

std::shared_ptr<SeriesReader> open_reader(const std::string& path, const Wishes& wishes) {
  const std::scoped_lock lock(reading::hdf5_lock());
  return std::make_shared<SeriesReader>(SeriesReader::open(path, options_of(wishes)));
}

// Whether the field is one dataset, with the same axes in the same order, and values of the type that is stored.
bool as_in_file(const SeriesReader& reader, std::size_t field) {
  if (reader.catalog().segments.size() != 1) return false;
  if (reader.foreign() == nullptr) return true;
  const reading::Decoding& decoding = reader.foreign()->decodings.at(field);
  return decoding.form == survey::Form::plain && reading::is_identity(decoding.order) && decoding.values.scale == 1 &&
         decoding.values.offset == 0;
}

// What Python has to know of a field, as keywords.
Described field_of(const SeriesReader& reader, const storage::FieldEntry& field) {
  nb::dict described;
  described["name"] = field.name;
  described["dtype"] = std::string(name_of(field.type));
  described["per_step"] = tuple_of(field.per_step);
  described["support"] = std::string(name_of(field.support));
  described["units"] = field.units;
  described["components"] = field.components;
  described["node_axes"] = field.support == storage::Support::global ? 0 : field.node_axes;
  const auto& fields = reader.catalog().fields;
  const auto number = static_cast<std::size_t>(&field - fields.data());
  described["as_in_file"] = as_in_file(reader, number);
  const storage::ArrayEntry& array = reader.catalog().segments.at(0).fields.at(number);
  described["path"] = array.path;
  described["chunk"] = tuple_of(array.chunk);
  described["filters"] = array.filters;
  return described;
}

nb::typed<nb::list, Described> fields_of(const SeriesReader& reader) {
  nb::list list;
  for (const storage::FieldEntry& field : reader.fields()) list.append(field_of(reader, field));
  return list;
}

std::vector<Box> boxes_of(const Corners& starts, const Corners& counts) {
  if (starts.shape(0) != counts.shape(0) || starts.shape(1) != counts.shape(1)) {
    throw Error(ErrorKind::usage, "boxes", "have other numbers of starts and of counts");
  }
  std::vector<Box> boxes(starts.shape(0));
  const std::size_t axes = starts.shape(1);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    boxes[i].start.assign(starts.data() + i * axes, starts.data() + (i + 1) * axes);
    boxes[i].count.assign(counts.data() + i * axes, counts.data() + (i + 1) * axes);
  }
  return boxes;
}

void read_boxes(const SeriesReader& reader, const std::string& field, const Corners& starts, const Corners& counts,
                const Target& target) {
  const std::vector<Box> boxes = boxes_of(starts, counts);
  const std::span<std::byte> values = bytes_of(target);
  const nb::gil_scoped_release released;
  reader.read(field, boxes, values);
}

// The reads that are asked for most, without arrays of boxes.
void read_trace(const SeriesReader& reader, const std::string& field, std::uint64_t node, const Target& target) {
  const std::span<std::byte> values = bytes_of(target);
  const nb::gil_scoped_release released;
  reader.read(field, reader.trace_box(field, node), values);
}

void read_snapshot(const SeriesReader& reader, const std::string& field, std::uint64_t step, const Target& target) {
  const std::span<std::byte> values = bytes_of(target);
  const nb::gil_scoped_release released;
  reader.read(field, reader.snapshot_box(field, step), values);
}

void read_fixed(const SeriesReader& reader, const std::string& path, const Target& target) {
  const std::span<std::byte> values = bytes_of(target);
  const nb::gil_scoped_release released;
  reader.read_fixed(path, values);
}

nb::typed<nb::list, nb::typed<nb::tuple, nb::str, nb::str, Extents>> fixed_of(const SeriesReader& reader) {
  nb::list list;
  for (const storage::ArrayEntry& array : reader.catalog().fixed_arrays) {
    list.append(nb::make_tuple(array.path, std::string(name_of(array.type)), tuple_of(array.shape)));
  }
  return list;
}

nb::object python_of(const storage::AttributeValue& value) {
  return std::visit(
      [](const auto& one) -> nb::object {
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, storage::FixedText>) {
          return nb::cast(one.text);
        } else {
          return nb::cast(one);
        }
      },
      value);
}

Described attributes_of(const SeriesReader& reader, const std::string& object) {
  const storage::Attributes attributes = [&] {
    const nb::gil_scoped_release released;
    return reader.attributes(object);
  }();
  nb::dict described;
  for (const auto& [name, value] : attributes) described[name.c_str()] = python_of(value);
  return described;
}

Described cost_of(const SeriesReader& reader, const std::string& field, const std::vector<std::uint64_t>& start,
                  const std::vector<std::uint64_t>& count) {
  const layout::ReadCost cost = [&] {
    const nb::gil_scoped_release released;  // what is decoded is opened for it
    return reader.predicted(field, {start, count});
  }();
  nb::dict described;
  described["asked_bytes"] = cost.asked_bytes;
  described["chunks"] = cost.chunks;
  described["requests"] = cost.requests;
  described["bytes"] = cost.bytes;
  described["hdf5_bytes"] = cost.hdf5_bytes;
  described["seconds"] = cost.seconds(reader.access_cost());
  return described;
}

bool next_snapshot(SnapshotSweep& sweep, const Target& target) {
  const std::span<std::byte> values = bytes_of(target);
  const nb::gil_scoped_release released;
  return sweep.next(values);
}

}  // namespace

void bind_reading(nb::module_& module) {
  nb::class_<storage::RequestCounters>(module, "Requests", "How many requests a reader made, and of how many bytes.")
      .def(nb::init<>())
      .def_prop_ro("reads", [](const storage::RequestCounters& self) { return self.reads.load(); })
      .def_prop_ro("bytes", [](const storage::RequestCounters& self) { return self.bytes_read.load(); });

  nb::class_<Wishes>(module, "Wishes", "What SeriesReader::open() is asked for.")
      .def(nb::init<>())
      .def_rw("budget", &Wishes::budget, nb::arg().none())
      .def_rw("threads", &Wishes::threads, nb::arg().none())
      .def_rw("latency", &Wishes::latency, nb::arg().none())
      .def_rw("bandwidth", &Wishes::bandwidth, nb::arg().none())
      .def_rw("dataset", &Wishes::dataset)
      .def_rw("time", &Wishes::time, nb::arg().none())
      .def_rw("axes", &Wishes::axes)
      .def_rw("delay", &Wishes::delay)
      .def_rw("requests", &Wishes::requests, nb::arg().none());

  nb::class_<SeriesReader>(module, "Reader", "weft::SeriesReader: for several threads at once, but for nothing else.")
      .def_static("open", &open_reader, nb::arg("path"), nb::arg("wishes"), Released())
      .def_prop_ro("path", &SeriesReader::path)
      .def_prop_ro("is_weft", &SeriesReader::is_weft)
      .def_prop_ro("format_version", [](const SeriesReader& self) { return self.catalog().format_version; })
      .def_prop_ro("created_by", [](const SeriesReader& self) { return self.catalog().created_by; })
      .def_prop_ro("steps", &SeriesReader::steps)
      .def_prop_ro("committed", &SeriesReader::committed)
      .def_prop_ro("time_units", [](const SeriesReader& self) { return self.field("time").units; })
      .def_prop_ro("latency", [](const SeriesReader& self) { return self.access_cost().latency_s; })
      .def_prop_ro("bandwidth", [](const SeriesReader& self) { return self.access_cost().bandwidth; })
      .def("times", &SeriesReader::times, Released())
      .def("fields", &fields_of)
      .def("fixed", &fixed_of)
      .def("attributes", &attributes_of, nb::arg("object"))
      .def_prop_ro("times_path", [](const SeriesReader& self) { return self.catalog().segments[0].fields[0].path; })
      .def("read", &read_boxes, nb::arg("field"), nb::arg("starts"), nb::arg("counts"), nb::arg("target"))
      .def("read_trace", &read_trace, nb::arg("field"), nb::arg("node"), nb::arg("target"))
      .def("read_snapshot", &read_snapshot, nb::arg("field"), nb::arg("step"), nb::arg("target"))
      .def("read_fixed", &read_fixed, nb::arg("path"), nb::arg("target"))
      .def("cost", &cost_of, nb::arg("field"), nb::arg("start"), nb::arg("count"));

  nb::class_<SnapshotSweep>(module, "Sweep", "weft::SnapshotSweep: the snapshots of a range of steps, in order.")
      .def(nb::init<const SeriesReader&, std::string, std::uint64_t, std::uint64_t>(), nb::keep_alive<1, 2>())
      .def("next", &next_snapshot, nb::arg("target"));
}

}  // namespace weft::bindings
