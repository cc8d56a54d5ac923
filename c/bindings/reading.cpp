// bindings/reading.cpp - weft_reader: weft::SeriesReader.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <thread>

#include "bindings/handles.hpp"
#include "bindings/spec.hpp"
#include "weft/layout/design.hpp"
#include "weft/reading/series_reader.hpp"

struct weft_reader {
  weft::SeriesReader reader;
};

namespace weft::c {
namespace {

// How often follow() looks: a reload of a Weft file reads a few hundred bytes.
constexpr std::chrono::milliseconds kBetweenLooks{50};

void read_box(const weft_reader* reader, const char* field, const Box& box, weft_type type, void* values,
              std::size_t count) {
  const SeriesReader& from = Handles<weft_reader>::at(reader, "reader").reader;
  const std::string name(text(field, "field"));
  from.check_type(name, type_of(type));
  from.check_box(name, box);
  const std::uint64_t wanted = element_count(box.count);
  if (count != wanted) {
    throw Error(ErrorKind::usage, from.path(),
                fmt::format("{} values of '{}' were asked for, and there is memory for {}", wanted, name, count),
                "give room for exactly so many");
  }
  if (count == 0) return;
  from.read(name, box, std::span(&given(static_cast<std::byte*>(values), "values"), count * size_of(type_of(type))));
}

std::string named(const char* field) { return std::string(text(field, "field")); }

}  // namespace
}  // namespace weft::c

using namespace weft;     // NOLINT(google-build-using-namespace): below is the interface of C, in no namespace
using namespace weft::c;  // NOLINT(google-build-using-namespace)

weft_status weft_open(const char* path, weft_reader** reader) {
  return guarded([&] {
    given(reader, "reader") = nullptr;
    *reader = Handles<weft_reader>::add(
        std::unique_ptr<weft_reader>(new weft_reader{SeriesReader::open(std::string(text(path, "path")))}));
  });
}

void weft_close_reader(weft_reader* reader) {
  if (reader == nullptr) return;
  guarded([&] { Handles<weft_reader>::take(reader, "reader"); });
}

weft_status weft_reload(weft_reader* reader) {
  return guarded([&] { Handles<weft_reader>::at(reader, "reader").reader.reload(); });
}

weft_status weft_follow(weft_reader* reader, uint64_t after, double timeout_s, uint64_t* committed) {
  return guarded([&] {
    SeriesReader& from = Handles<weft_reader>::at(reader, "reader").reader;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
    from.reload();
    while (from.committed() <= after && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(kBetweenLooks);
      from.reload();
    }
    given(committed, "committed") = from.committed();
  });
}

weft_status weft_committed(const weft_reader* reader, uint64_t* steps) {
  return guarded([&] { given(steps, "steps") = Handles<weft_reader>::at(reader, "reader").reader.committed(); });
}

weft_status weft_times(const weft_reader* reader, size_t count, double* times) {
  return guarded([&] {
    const SeriesReader& from = Handles<weft_reader>::at(reader, "reader").reader;
    if (count > from.committed()) {
      throw Error(ErrorKind::usage, from.path(), fmt::format("{} times were asked for", count),
                  fmt::format("{} steps are committed", from.committed()));
    }
    if (count > 0) std::copy_n(from.times().begin(), count, &given(times, "times"));
  });
}

weft_status weft_field_count(const weft_reader* reader, size_t* fields) {
  return guarded([&] { given(fields, "fields") = Handles<weft_reader>::at(reader, "reader").reader.fields().size(); });
}

const char* weft_field_name(const weft_reader* reader, size_t field) {
  const char* name = nullptr;
  guarded([&] {
    const auto fields = Handles<weft_reader>::at(reader, "reader").reader.fields();
    if (field >= fields.size()) {
      throw Error(ErrorKind::usage, reader->reader.path(), fmt::format("has no field {}", field),
                  fmt::format("it has {}", fields.size()));
    }
    name = fields[field].name.c_str();
  });
  return name;
}

const char* weft_field_units(const weft_reader* reader, const char* field) {
  const char* units = nullptr;
  guarded([&] { units = Handles<weft_reader>::at(reader, "reader").reader.field(named(field)).units.c_str(); });
  return units;
}

weft_status weft_field_shape(const weft_reader* reader, const char* field, weft_type* type, int* rank,
                             uint64_t* shape) {
  return guarded([&] {
    const storage::FieldEntry& of = Handles<weft_reader>::at(reader, "reader").reader.field(named(field));
    if (of.per_step.size() > WEFT_MAX_RANK) {
      throw Error(ErrorKind::usage, reader->reader.path(),
                  fmt::format("'{}' has {} axes, more than weft.h knows", of.name, of.per_step.size()), "");
    }
    if (type != nullptr) *type = type_of(of.type);
    if (rank != nullptr) *rank = static_cast<int>(of.per_step.size());
    if (shape != nullptr) std::ranges::copy(of.per_step, shape);
  });
}

weft_status weft_snapshot(const weft_reader* reader, const char* field, uint64_t step, weft_type type, void* values,
                          size_t count) {
  return guarded([&] {
    read_box(reader, field, Handles<weft_reader>::at(reader, "reader").reader.snapshot_box(named(field), step), type,
             values, count);
  });
}

weft_status weft_trace(const weft_reader* reader, const char* field, uint64_t node, weft_type type, void* values,
                       size_t count) {
  return guarded([&] {
    read_box(reader, field, Handles<weft_reader>::at(reader, "reader").reader.trace_box(named(field), node), type,
             values, count);
  });
}

weft_status weft_read(const weft_reader* reader, const char* field, const uint64_t* start, const uint64_t* box_count,
                      weft_type type, void* values, size_t count) {
  return guarded([&] {
    const std::size_t axes = 1 + Handles<weft_reader>::at(reader, "reader").reader.field(named(field)).per_step.size();
    const std::span first(&given(start, "start"), axes);
    const std::span extent(&given(box_count, "box_count"), axes);
    read_box(reader, field, {{first.begin(), first.end()}, {extent.begin(), extent.end()}}, type, values, count);
  });
}

weft_status weft_layout(uint64_t steps, int rank, const uint64_t* shape, weft_type type, const char* reads,
                        uint64_t target_bytes, uint64_t* chunk) {
  return guarded([&] {
    if (rank < 1 || rank > WEFT_MAX_RANK) {
      throw Error(ErrorKind::usage, fmt::format("a shape of {} axes", rank), "has no chunk",
                  fmt::format("give 1 to {}", WEFT_MAX_RANK));
    }
    layout::DesignRequest request;
    request.shape = {steps};
    request.shape.insert(request.shape.end(), &given(shape, "shape"), shape + rank);
    request.element_bytes = size_of(type_of(type));
    if (reads != nullptr) request.read_text = reads;
    if (target_bytes > 0) request.target_bytes = target_bytes;
    std::ranges::copy(layout::design(request).chunk, &given(chunk, "chunk"));
  });
}
