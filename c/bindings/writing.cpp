// bindings/writing.cpp - weft_writer: weft::SeriesWriter.
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "bindings/on_ranks.hpp"
#include "bindings/spec.hpp"
#include "weft/series/series_writer.hpp"

struct weft_writer {
  weft::SeriesWriter writer;
};

namespace weft::c {
namespace {

weft_status made(weft_writer** writer, const std::function<SeriesWriter()>& make) {
  return guarded([&] {
    given(writer, "writer") = nullptr;
    *writer = new weft_writer{make()};
  });
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
  return made(writer, [&] {
    const auto alone = std::make_shared<SelfCommunicator>();
    refuse_options_of_ranks(given(spec, "spec"));
    return SeriesWriter::create(alone, std::string(text(path, "path")), series_of(*spec, *alone));
  });
}

weft_status weft_append(const weft_spec* spec, const char* path, weft_writer** writer) {
  return made(writer, [&] {
    const auto alone = std::make_shared<SelfCommunicator>();
    refuse_options_of_ranks(given(spec, "spec"));
    const std::string name(text(path, "path"));
    return SeriesWriter::append(alone, name, append_of(*spec, *alone, name));
  });
}

weft_status weft_create_f(const weft_spec* spec, const char* path, int comm, weft_writer** writer) {
  return made(writer, [&] { return create_on_ranks(given(spec, "spec"), std::string(text(path, "path")), comm); });
}

weft_status weft_append_f(const weft_spec* spec, const char* path, int comm, weft_writer** writer) {
  return made(writer, [&] { return append_on_ranks(given(spec, "spec"), std::string(text(path, "path")), comm); });
}

weft_status weft_put(weft_writer* writer, const char* field, weft_type type, const void* values, size_t count) {
  return guarded([&] {
    const DataType of = type_of(type);
    if (count > 0) given(static_cast<const std::byte*>(values), "values");
    given(writer, "writer")
        .writer.put_bytes(text(field, "field"), of, {static_cast<const std::byte*>(values), count * size_of(of)});
  });
}

weft_status weft_end_step(weft_writer* writer, double time) {
  return guarded([&] { given(writer, "writer").writer.end_step(time); });
}

weft_status weft_flush(weft_writer* writer) {
  return guarded([&] { given(writer, "writer").writer.flush(); });
}

weft_status weft_next_step(const weft_writer* writer, uint64_t* step) {
  return guarded([&] { given(step, "step") = given(writer, "writer").writer.next_step(); });
}

weft_status weft_close(weft_writer* writer) {
  if (writer == nullptr) return WEFT_OK;
  return guarded([&] {
    const std::unique_ptr<weft_writer> ended(writer);
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
  guarded([&] { writer->writer.abandon(); });
  delete writer;
}
