// bindings/writing.cpp - weft_writer: weft::SeriesWriter.
#include <fmt/format.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "bindings/handles.hpp"
#include "bindings/on_ranks.hpp"
#include "bindings/spec.hpp"
#include "weft/series/series_writer.hpp"

struct weft_writer {
  weft::SeriesWriter writer;
  bool on_ranks = false;
};

namespace weft::c {
namespace {

weft_status made(weft_writer** writer, bool on_ranks, const std::function<SeriesWriter()>& make) {
  return guarded([&] {
    given(writer, "writer") = nullptr;
    *writer = Handles<weft_writer>::add(std::unique_ptr<weft_writer>(new weft_writer{make(), on_ranks}));
  });
}

// For what is collective: MPI ends a program that calls it after MPI_Finalize.
weft_writer& together(weft_writer* writer) {
  weft_writer& of = Handles<weft_writer>::at(writer, "writer");
  if (of.on_ranks) refuse_after_mpi();
  return of;
}

// What only ranks can have is refused here, not left out without a word.
void refuse_options_of_ranks(const weft_spec& spec) {
  if (spec.of_ranks.empty()) return;
  throw Error(ErrorKind::usage, fmt::format("option '{}'", spec.of_ranks.begin()->first), "is for ranks",
              "give a communicator: weft_create_f or weft_create_mpi");
}

}  // namespace
}  // namespace weft::c

using namespace weft;     // NOLINT(google-build-using-namespace): below is the interface of C, in no namespace
using namespace weft::c;  // NOLINT(google-build-using-namespace)

weft_status weft_create(const weft_spec* spec, const char* path, weft_writer** writer) {
  return made(writer, false, [&] {
    const auto alone = std::make_shared<SelfCommunicator>();
    refuse_options_of_ranks(Handles<weft_spec>::at(spec, "spec"));
    return SeriesWriter::create(alone, std::string(text(path, "path")), series_of(*spec, *alone));
  });
}

weft_status weft_append(const weft_spec* spec, const char* path, weft_writer** writer) {
  return made(writer, false, [&] {
    const auto alone = std::make_shared<SelfCommunicator>();
    refuse_options_of_ranks(Handles<weft_spec>::at(spec, "spec"));
    const std::string name(text(path, "path"));
    return SeriesWriter::append(alone, name, append_of(*spec, *alone, name));
  });
}

weft_status weft_create_f(const weft_spec* spec, const char* path, int comm, weft_writer** writer) {
  return made(writer, true, [&] {
    return create_on_ranks(Handles<weft_spec>::at(spec, "spec"), std::string(text(path, "path")), comm);
  });
}

weft_status weft_append_f(const weft_spec* spec, const char* path, int comm, weft_writer** writer) {
  return made(writer, true, [&] {
    return append_on_ranks(Handles<weft_spec>::at(spec, "spec"), std::string(text(path, "path")), comm);
  });
}

weft_status weft_put(weft_writer* writer, const char* field, weft_type type, const void* values, size_t count) {
  return guarded([&] {
    const DataType of = type_of(type);
    if (count > 0) given(static_cast<const std::byte*>(values), "values");
    weft_writer& to = Handles<weft_writer>::at(writer, "writer");
    if (count > std::numeric_limits<std::size_t>::max() / size_of(of)) {
      throw Error(ErrorKind::usage, "count", fmt::format("is {}", count), "give the number of values");
    }
    to.writer.put_bytes(text(field, "field"), of, {static_cast<const std::byte*>(values), count * size_of(of)});
  });
}

weft_status weft_end_step(weft_writer* writer, double time) {
  return guarded([&] { together(writer).writer.end_step(time); });
}

weft_status weft_flush(weft_writer* writer) {
  return guarded([&] { together(writer).writer.flush(); });
}

weft_status weft_next_step(const weft_writer* writer, uint64_t* step) {
  return guarded([&] { given(step, "step") = Handles<weft_writer>::at(writer, "writer").writer.next_step(); });
}

weft_status weft_close(weft_writer* writer) {
  if (writer == nullptr) return WEFT_OK;
  return guarded([&] {
    together(writer);
    const std::unique_ptr<weft_writer> ended = Handles<weft_writer>::take(writer, "writer");
    try {
      ended->writer.close();
    } catch (...) {
      ended->writer.abandon();
      throw;
    }
  });
}

void weft_abandon(weft_writer* writer) {
  if (writer == nullptr) return;
  guarded([&] { Handles<weft_writer>::take(writer, "writer")->writer.abandon(); });
}
